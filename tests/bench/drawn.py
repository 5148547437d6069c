"""Packages drawn by hash from names that are widely known, for figures on code that nobody tuned to.

A draw has a name: the same name gives the same packages. When a draw was looked at during development it is spent; take
another name. Names that development used are not in the list.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable

# Pure Python or nearly so, of all kinds; nothing is drawn that a bench lists as its own. The list is replaced when its
# names are spent: draws before `blind-2027-11` came from others, which the history holds.
_LISTED = """
absl-py addict affine aiodns aiohttp-retry aiosmtplib alabaster amqp anyconfig appdirs asciitree aspy-yaml astor
astunparse atomicwrites autobahn autopep8 backcall backports-csv banal baron base58 bcrypt bech32 blessings boto
braintree breathe bump2version bumpversion businesstime cachy calmjs capstone case-conversion chameleon cherrypy chess
ciso8601 clevercsv click-didyoumean click-plugins cmarkgfm codespell cogapp coloredlogs colormath columnar commentjson
comtypes configargparse configparser coreapi coreschema cpplint crccheck crossplane css-inline css-parser cssmin cursor
cutadapt daiquiri daphne dataclasses-json dateformat deap debugpy deprecation descartes detect-secrets dirsync distro
dj-database-url django-environ docformatter dockerfile-parse dulwich easydict easygui editorconfig efficient-apriori
elasticsearch-dsl email-reply-parser entrypoints environs envparse espeakng etaprogress eth-utils eventlet execnet
exifread expiringdict extract-msg ezdxf fastimport fixtures flask-login flexcache flexparser fluent-logger formencode
fpdf frictionless fusepy fuzzysearch gcovr gdata genson geographiclib geomet gevent gherkin-official ghp-import
gitchangelog gitlint gnureadline google-re2 gpxpy grako graphemeu graphlib-backport greenstalk gtts halo haystack
heapdict hexbytes hookery htmldate http-parser httpagentparser humanhash humps hyperframe hyperopt icontract imutils
incremental inform iniparse inquirer intelhex internetarchive interrogate invoice2data ipwhois ipython-genutils
isbntools iso3166 iso4217 iso639 janus jaraco-classes jaraco-collections jaraco-context jaraco-functools
jaraco-itertools javalang jieba jira jplephem jsmin json-log-formatter jsonmerge justext kajiki keyring langdetect
latex2mathml ldap3 leb128 license-expression lockfile logfmt logutils logzero lru-dict lz4 macholib mailbits makefun
mando markovify matrix-client mechanicalsoup meld3 mf2py mimeparse minify-html mistletoe mnemo mongoengine
more-properties mpegdash multipart multipledispatch musicbrainzngs mutagen mwparserfromhell ndg-httpsclient netifaces
node-semver nose numpy-financial obonet odfpy olefile omegaconf oslo-utils oyaml packageurl-python parse-type pathlib2
pbr pep8-naming pexpect picologging piexif pika pip-api pipdeptree pkgconfig plac pluginbase plyvel poyo pprintpp
prance pre-commit-hooks premailer pretty-cron proselint psycogreen ptyprocess publication py-cpuinfo py-moneyed
pyahocorasick pyasn1-modules pybars3 pycairo pyfakefs pyfarmhash pyhcl pyhocon pyicu pyinflect pykwalify pylru pynmea2
pyopenssl pypng pyrfc3339 pyroaring pyserial pysocks pystac python-gnupg python-ldap python-pptx python-twitter pyvis
pywavelets pyxb rarfile ratelimiter reedsolo requests-oauthlib resolvelib restructuredtext-lint retry routes
ruamel-std-pathlib scandir schematics semantic-version sentinels setproctitle sgmllib3k simple-salesforce singer-python
siphash24 sismic sixer sortedcollections sqlalchemy-utils sshpubkeys stack-data statsd stopit strsimpy subprocess-tee
svglib svgpathtools tabledata tcolorpy tempora testfixtures text2digits timeago timezonefinder tinyhtml5 toml-sort
translitcodec treq twine typed-ast typepy typish udatetime uhashring ujson unicode-slugify unittest-xml-reporting
update-checker uritools url-normalize urlobject uszipcode uuid6 validate-email vcversioner venusian verboselogs
versioningit viivakoodi visitor web-py webencodings websocket-client wget whichcraft wikipedia wordcloud workalendar
xattr xdg xlwt yacs yamale yamlfix zeroconf zope-interface
"""


def drawn(draw: str, count: int, without: Iterable[str] = ()) -> list[str]:
    """The packages of a draw, in the order of their hashes.

    Args:
        draw: Its name.
        count: How many.
        without: Earlier draws whose packages are left out, each as `DRAW:COUNT`, the earliest first: each of them left
            out those before it.

    Example:
        >>> first = drawn("a", 5)
        >>> second = drawn("b", 100, ["a:5"])
        >>> third = drawn("c", 1000, ["a:5", "b:100"])
        >>> len({*first, *second, *third}) == len(first) + len(second) + len(third)
        True
    """
    spent: set[str] = set()
    earlier: list[str] = []
    for each in without:
        name, _, many = each.rpartition(":")
        spent |= set(drawn(name, int(many), earlier))
        earlier.append(each)
    fresh = [name for name in _LISTED.split() if name not in spent]
    return sorted(fresh, key=lambda name: hashlib.sha256(f"{draw}:{name}".encode()).hexdigest())[:count]


def add_without(parser: argparse.ArgumentParser) -> None:
    """The option that leaves spent draws out."""
    parser.add_argument("--without", nargs="*", default=[], metavar="DRAW:N", help="leave the first N of a draw out")
