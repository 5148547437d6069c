"""Packages drawn by hash from names that are widely known, for figures on code that nobody tuned to.

A draw has a name: the same name gives the same packages. When a draw was looked at during development it is spent; take
another name. Names that development used are not in the list.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable

# Pure Python or nearly so, of all kinds; nothing is drawn that a bench lists as its own.
_LISTED = """
aiofiles aiohttp aiosqlite altair anyio anytree apispec apscheduler arpeggio arrow asgiref astroid asttokens attrs
autoflake automat b2sdk bandit beautifulsoup4 behave bidict billiard binaryornot bleach bokeh boto3 botocore bottle
bracex build cachecontrol cachetools cattrs celery cerberus chardet cheroot cloudpickle cmd2 colorama colorlog
configobj construct cookiecutter coverage croniter cssutils cycler dacite dask datasette deprecated dill distlib
django dnspython dominate dpath dynaconf ecdsa emoji executing fabric faker falcon fasteners feedparser fire flake8
flask fonttools freezegun frozendict fs geopy gitpython glom gunicorn h11 h2 hashids hpack html5lib httpcore hupper
hvac hyperlink icalendar identify idna ijson imageio inflection ipython iso8601 isodate isort itsdangerous jedi
jellyfish jmespath joblib jsonlines jsonpatch jsonpath-ng jsonpickle kombu lark libcst loguru luigi mako
markdown-it-py markdown2 markdownify marshmallow mergedeep mkdocs moto munch music21 nameparser natsort netaddr nltk
num2words oauthlib openpyxl ordered-set paramiko parse parsedatetime parsimonious parso passlib patsy pdfminer-six
peewee pefile pendulum petl phonenumbers pint pip plotly pluggy polib portalocker praw prettytable progressbar2
prompt-toolkit ptpython pyasn1 pycountry pydantic pydash pyfiglet pyflakes pyftpdlib pygal pygtrie pylint
pymdown-extensions pymysql pypdf pyphen pyramid pysnooper python-box python-dateutil python-docx python-frontmatter
python-stdnum pytz pyupgrade pywinrm qrcode questionary rdflib recommonmark redis regex reportlab requests
requests-toolbelt responses rich roman rope rply schema scrapy seaborn semver sh simpleeval simplejson simpy smmap
snowballstemmer sortedcontainers soupsieve sphinx sqlglot stevedore strictyaml stringcase svgwrite tablib termcolor
terminaltables tinydb tldextract tomli tomlkit toposort tornado tox tqdm traitlets transitions trio twisted typer
tzlocal uncertainties unidecode uritemplate urllib3 us validators virtualenv vobject voluptuous waitress watchdog
wcmatch webcolors webob websockets webtest wheel whoosh wrapt xlrd xmlschema xmltodict yapf yattag zeep zipp zxcvbn
"""


def drawn(draw: str, count: int, without: Iterable[str] = ()) -> list[str]:
    """The packages of a draw, in the order of their hashes.

    Args:
        draw: Its name.
        count: How many.
        without: Other draws whose packages are left out, each as `DRAW:COUNT`.
    """
    spent = {name for each in without for name in drawn(each.rpartition(":")[0], int(each.rpartition(":")[2]))}
    fresh = [name for name in _LISTED.split() if name not in spent]
    return sorted(fresh, key=lambda name: hashlib.sha256(f"{draw}:{name}".encode()).hexdigest())[:count]


def add_without(parser: argparse.ArgumentParser) -> None:
    """The option that leaves spent draws out."""
    parser.add_argument("--without", nargs="*", default=[], metavar="DRAW:N", help="leave the first N of a draw out")
