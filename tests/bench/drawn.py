"""Packages drawn by hash from names that are widely known, for figures on code that nobody tuned to.

A draw has a name: the same name gives the same packages. When a draw was looked at during development it is spent; take
another name. Names that development used are not in the list.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable

# Pure Python or nearly so, of all kinds; nothing is drawn that a bench lists as its own. The list is replaced when its
# names are spent: draws before `blind-2027-03` came from another one, which the history holds.
_LISTED = """
aenum agate aiocache aioitertools alembic ansible-core antlr4-python3-runtime argcomplete argh asteval async-lru
audioread backoff basicauth beaker betamax biopython bitarray bitstring blessed blinker boolean-py braceexpand cairosvg
camel-converter case-converter cbor2 cchardet certifi cftime chevron click-default-group click-repl cligj clikit
colander colorful colour commonmark confuse contextlib2 convertdate courlan cron-descriptor cryptography cssselect
cssselect2 csvkit ctparse curies cvxopt cytoolz darker datefinder dateutils decorator deepdiff deepmerge defusedxml
dict2xml dictdiffer diff-match-patch dirty-equals diskcache docstring-parser dogpile-cache dotmap dotty-dict
drf-spectacular durationpy editdistance elementpath email-validator emails enlighten ephem esprima et-xmlfile
eval-type-backport exrex fastcore fastjsonschema fastnumbers ffmpy filetype fiona flatdict flatten-dict flit-core flox
fluent-runtime forbiddenfruit fpdf2 fsspec funcy fuzzywuzzy galois genshi geojson gitdb glob2 grapheme graphene
graphql-core graphviz greenlet hachoir haversine hjson html2text htmlmin httpie httplib2 httptools humanfriendly
hypercorn ibis-framework idna-ssl imagesize imapclient iniconfig intervaltree invoke ipaddr iptools isbnlib isoduration
jaraco-text javaproperties jc jsbeautifier json-merge-patch json5 jsondiff jsonpath-rw jsonpointer jsonref jsonschema
jwcrypto kaitaistruct kiwisolver language-tags latexcodec lazy-object-proxy lexid libsass linkify-it-py littleutils
lunardate lxml-html-clean m3u8 mammoth marko mdit-py-plugins mnemonic mpmath multidict multimethod mypy-extensions
numexpr numpydoc oauth2client okonomiyaki ordered-enum orderedmultidict orderly-set paginate pandocfilters parsel
pathspec pathvalidate peppercorn pikepdf pint-pandas pkginfo platformdirs plumbum pony portion preshed price-parser
priority probablepeople pronouncing proto-plus psutil publicsuffix2 pyaml pybtex pycparser pydicom pydot pyelftools
pyjwt pylatexenc pymeeus pymemcache pymongo pynacl pypinyin pyproj pyquery pyshp pyspellchecker pystache
python-baseconv python-crontab python-editor python-gitlab python-jose python-json-logger python-levenshtein
python-magic python-multipart python-tds python-utils pytimeparse pyxdameraulevenshtein pyyaml quantities
querystring-parser ratelimit readability-lxml rfc3986 rfc3987 rjsmin roman-numerals rstr ruamel-yaml s3transfer
scikit-bio scour secretstorage seqeval sexpdata shapely shortuuid shtab simple-parsing singledispatch slugify sly
smartypants snuggs social-auth-core spdx-tools srt stix2 stone stups-cli-support suds syllables symspellpy tatsu
tenacity text-unidecode textblob textfsm textile textwrap3 thefuzz thrift tinycss2 titlecase toml translate-toolkit
treelib trimesh truststore tweepy twilio typeguard typing-inspect ua-parser uc-micro-py unicodecsv unidiff
unpaddedbase64 untangle uri-template urlextract urwid user-agents vcrpy vdf versioneer vininfo voluptuous-serialize
wand wasabi webargs webvtt-py whatthepatch wikitextparser word2number wsproto wtforms xhtml2pdf xmldiff xmlsec xxhash
yarl yaspin youtube-dl ytmusicapi zstandard
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
