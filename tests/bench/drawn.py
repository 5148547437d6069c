"""Packages drawn by hash from names that are widely known, for figures on code that nobody tuned to.

A draw has a name: the same name gives the same packages. When a draw was looked at during development it is spent; take
another name. Names that development used are not in the list.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable

# Pure Python or nearly so, of all kinds; nothing is drawn that a bench lists as its own. The list is replaced when its
# names are spent: draws before `blind-2028-01` came from others, which the history holds.
_LISTED = """
adjusttext aiohttp-cors aiohttp-jinja2 aiomysql aiopg aioredis aiormq aiostream aiozipkin airspeed altgraph amqpstorm
annoy ansi2html ansiwrap anybadge apkutils apprise approvaltests apsw arabic-reshaper argon2-cffi argostranslate
argparse-manpage ascii-magic asciidag asciimatics asgi-lifespan asn1tools astral astropy-iers-data asyncssh atpublic
autopage avro-gen awkward barcode barnum bashlex bencode-py bibtexparser binpacking bioframe biplist bitmath bitstruct
blake3 bottleneck bravado-core brotlicffi btrees cairocffi canmatrix canonicaljson cantools casbin ccxt cffconvert
cfgv cfn-flip charset-normalizer cheetah3 circuitbreaker citeproc-py clldutils cloudevents cmaes cobble codeowners
colorcet colorclass colored colorzero columnize comm compreffor concurrent-log-handler concurrentloghandler
country-converter country-list covdefaults cppy cronsim csvw cvss cyclonedx-python-lib cymem daqp darglint
dataclass-wizard datadiff dawg2-python dbfread ddt deb-pkg-tools delorean demjson3 dependency-injector dhash diceware
dictlib dirtyjson dj-rest-auth django-filter dnslib docker-pycreds docopt-ng docstring-to-markdown docxtpl doit dpkt
drf-yasg dtw-python duckling easyprocess ebooklib editdistpy edtf enum-compat escapism esptool etelemetry eth-abi
exchange-calendars extratools eyed3 ezodf faker-file fastdtw feedgen file-magic findpython fitparse flake8-bugbear
flake8-comprehensions flake8-docstrings flanker flashtext flask-restx flatbuffers flatten-json fluids folium fontmath
fontparts foundationdb fractional-indexing freetype-py fuzzyset2 gast gcsfs gedcompy geohash2 geojson-pydantic
ghostscript gitignore-parser glyphslib gmplot gnupg goodtables google-pasta gpiozero gpsoauth gql greek-accentuation
grequests gspread guessit gwcs habanero hangul-romanize harmony hebrew hijri-converter hl7 holidays hstspreload
html-sanitizer html5tagger ics ifaddr imagehash img2pdf immutables importlab impyla influxdb iso3166-2 isoweek
itemadapter itemloaders jaconv jamo jdcal jinja2-time josepy jproperties json-delta json2html jsonnet-binary
jsonpath-python jsonschema-specifications jstyleson kanren kazoo keyrings-alt kitchen konlpy korean-lunar-calendar
kubernetes-validate lazr-uri ldif3 lepl levenshtein limitlion linesep livereload locket locust logbook lunarcalendar
mapbox-vector-tile marisa-trie maya mbstrdecoder mdx-linkify mergedict metaphone mgrs mistletoe-ebp mkepub mmh3
morfessor mrz mt-940 mulpyplexer nanoid natural ncclient ndjson neat-python netmiko networkit nmea ntlm-auth
num2fawords ofxparse ofxtools oletools openapi-core opencc optlang orjsonl pampy pandoc-attributes panflute pantab
parameterized parver pdfrw periodictable pexif phply plaster plotnine pluralizer plyfile postal-address pptree
prettyprinter protego psd-tools puremagic pvlib pyasyncore pybase64 pycldf pycountry-convert pycryptodomex pydeps
pyephem pyfaidx pyfunctional pygeohash pygeoif pyhamcrest pyhumps pyiso8583 pykakasi pykml pymarc pymediainfo
pymorphy3 pynput pyoai pypandoc pypeg2 pyphonetics pyprind pyrepl pyrr pysam pysimplesoap pysrt pystemmer pyte
python-barcode python-benedict python-gedcom python-geohash python-hcl2 python-ics python-levenshtein-wheels
python-louvain python-nmap python-pkcs11 python-rapidjson python-snappy python-string-utils pytidylib pyudev pyusb
pyvin qifparse quantulum3 queuelib rapidfuzz rdflib-jsonld readchar recurring-ical-events regress requests-file
rfc8785 rich-argparse ripe-atlas-sagan rst2ansi ruptures sacremoses scapy screed sdnotify segno sgfmill sgp4 shlib
simplekml simpleparse sklearn-pandas skyfield slimit smbprotocol socksio sparse-dot spintax sqids sqlfluff
sseclient-py stdlib-list stemming stringmatch striprtf suds-community sunpy-soar suntime survey svgelements syllapy
syltippy table-logger targ tcod tdda tinysegmenter tldr tokenize-rt translationstring txaio typeid-python unyt uplink
usaddress wadllib wasmer weighted-levenshtein weo wheel-filename wordninja xdis xmljson xmlunittest
youtube-transcript-api zipstream-new zlmdb
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
