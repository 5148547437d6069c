"""Packages drawn by hash from names that are widely known, for figures on code that nobody tuned to.

A draw has a name: the same name gives the same packages. When a draw was looked at during development it is spent; take
another name. Names that development used are not in the list.
"""

from __future__ import annotations

import hashlib

# Pure Python or nearly so, of all kinds; nothing is drawn that a bench lists as its own.
_LISTED = """
aiofiles aiosqlite alembic altair anyio apispec apscheduler arrow asgiref asttokens astroid attrs autoflake automat
b2sdk bandit beautifulsoup4 behave billiard binaryornot black bleach blinker bokeh bottle bracex build cachetools
cattrs celery cerberus chardet cheroot click cloudpickle cmd2 colorama colorlog configobj cookiecutter coverage
croniter cssselect cssutils cycler dacite dask datasette deepdiff deprecated dill distlib django dnspython docopt
dominate dynaconf ecdsa executing fabric faker falcon fasteners feedparser filelock fire flake8 flask fonttools
freezegun frozendict fs furl geopy gitpython glom gunicorn h11 h2 hpack html5lib httpcore httpx hupper hvac hyperlink
icalendar identify idna ijson imageio importlib-metadata inflection invoke ipython iso8601 isodate isort itsdangerous
jedi jmespath joblib jsonpath-ng jsonpatch jsonpickle jsonpointer jsonschema kombu langcodes lark libcst loguru luigi
mako markdown-it-py markdownify marshmallow mdurl mido mimesis mkdocs moto music21 mypy nameparser natsort netaddr
nltk num2words oauthlib openpyxl paramiko parse parsedatetime parsimonious parso passlib pathspec patsy peewee
pdfminer-six pendulum petl phonenumbers pint pip platformdirs plotly pluggy ply poetry-core polib praw prettytable
prompt-toolkit ptpython pyasn1 pycodestyle pycountry pydantic pydocstyle pyflakes pyftpdlib pygal pylint
pymdown-extensions pymysql pypdf pyphen pyramid pyrsistent pysnooper python-dateutil python-docx pytz pyupgrade
pywinrm qrcode questionary rdflib recommonmark redis regex reportlab requests requests-toolbelt responses retrying
rich rsa schedule schema scrapy semver sh simpleeval simplejson simpy smmap snowballstemmer sortedcontainers soupsieve
sphinx stevedore stringcase structlog tablib tenacity termcolor terminaltables textblob texttable textual tinycss2
tinydb tomli tomlkit tornado tox tqdm traitlets transitions trio twisted typer tzlocal uncertainties unidecode
uritemplate urllib3 us validators virtualenv voluptuous w3lib waitress watchdog wcmatch webob websockets wheel whoosh
wrapt wtforms xlrd xlsxwriter xmltodict yamllint yapf yarl zipp
"""


def drawn(draw: str, count: int) -> list[str]:
    """The packages of a draw, in the order of their hashes.

    Args:
        draw: Its name.
        count: How many.
    """
    return sorted(_LISTED.split(), key=lambda name: hashlib.sha256(f"{draw}:{name}".encode()).hexdigest())[:count]
