"""Words that a code holds because of its language and not because of its author: keywords, and names of libraries."""

from __future__ import annotations

import builtins
import collections
import csv
import datetime
import functools
import importlib
import io
import itertools
import json
import keyword
import math
import pathlib
import re
import string
import sys
from collections.abc import Iterator

import numpy as np

_PYTHON_TYPES = (str, bytes, int, float, complex, list, tuple, dict, set, frozenset, io.StringIO, Exception)
_PYTHON_MODULES = (
    *(builtins, collections, csv, datetime, datetime.datetime, datetime.timedelta, functools, io, itertools, json),
    *(math, pathlib.Path, re, re.Pattern, re.Match, string, np, np.ndarray),
)

# Of these, names of several words: a single plain one might be read as the author's.
_PYTHON_NAMESPACES = """
argparse base64 bisect calendar configparser contextlib copy decimal difflib email.message errno fractions glob gzip
hashlib heapq hmac html http.client inspect logging multiprocessing operator os os.path pickle platform queue random
secrets select shutil signal socket sqlite3 ssl statistics struct subprocess sys tempfile textwrap threading time
traceback types typing urllib.parse urllib.request uuid warnings xml.etree.ElementTree zipfile zlib
"""

# Well-known libraries, as far as codes that a search finds use them.
_PYTHON_LIBRARIES = """
np numpy pd pandas plt tf torch nx scipy sklearn requests yaml array ndarray zeros ones empty arange linspace dot mean
std var median percentile cumsum argsort argmax argmin argwhere nonzero where concatenate vstack hstack stack reshape
ravel flatten transpose astype dtype shape ndim size newaxis linalg norm inv isnan nan inf int32 int64 uint8 float32
float64 DataFrame Series read_csv to_csv iloc loc columns values groupby apply dropna fillna merge drop iterrows unique
listdir makedirs mkdir rmdir remove rename walk getcwd chdir environ getenv path exists isfile isdir islink basename
dirname splitext abspath realpath expanduser getsize getmtime stat chmod unlink sep linesep devnull system urandom
choice choices sample shuffle randint uniform gauss seed randrange perf_counter localtime gmtime mktime argv exit stdin
maxsize platform version_info modules exc_info getsizeof
get post put delete status_code headers params timeout url content raise_for_status session cookies
Popen PIPE communicate stdout stderr stdin STDOUT DEVNULL returncode check_output check_call shell
urlopen urlparse urljoin quote unquote urlencode netloc scheme query fragment BeautifulSoup find_all find findall
execute fetchone fetchall commit cursor connect rollback close Thread Lock acquire release daemon target
logger logging getLogger debug info warning error critical argparse ArgumentParser add_argument parse_args
md5 sha1 sha256 hexdigest digest b64encode b64decode pack unpack uuid4 hex safe_load safe_dump dumps loads dump load
copy deepcopy sleep strftime strptime isoformat total_seconds fromtimestamp timestamp tzinfo utc imread imwrite resize
self cls args kwargs xrange unicode basestring long unichr raw_input iteritems itervalues iterkeys has_key
"""

_OTHERS = {
    "javascript": """
abstract any as async await boolean break case catch class const constructor continue debugger declare default delete
do else enum export extends false finally for from function get if implements import in instanceof interface keyof let
new null number object of private protected public readonly return set static string super switch symbol this throw
true try type typeof undefined unknown var void while with yield never NaN Infinity
Array Object String Number Boolean Map Set WeakMap Date Math JSON RegExp Promise Error TypeError RangeError Symbol
console log require module exports process Buffer length push pop shift unshift slice splice concat join split reverse
sort filter map reduce reduceRight forEach some every find findIndex indexOf lastIndexOf includes flat flatMap fill
keys values entries from isArray assign freeze fromEntries create prototype hasOwnProperty call apply bind toString
valueOf charAt charCodeAt codePointAt fromCharCode substring substr trim trimStart trimEnd toLowerCase toUpperCase
replace replaceAll search startsWith endsWith padStart padEnd repeat localeCompare normalize test exec
parseInt parseFloat isNaN isFinite toFixed floor ceil round abs max min pow sqrt random sign trunc log2 log10 PI
parse stringify has get set add delete clear size then resolve reject all race setTimeout clearTimeout
getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toISOString now
""",
    "java": """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for if implements import instanceof int interface long native new null package private protected public
return short static super switch synchronized this throw throws transient true false try var void volatile while
String StringBuilder Integer Long Double Float Character Boolean Byte Object Math System Arrays Collections List
ArrayList LinkedList Map HashMap TreeMap LinkedHashMap Set HashSet TreeSet Deque ArrayDeque Queue PriorityQueue
Iterator Iterable Optional Stream IntStream Collectors Function Predicate Comparator Exception RuntimeException
IllegalArgumentException Override java util io lang stream function regex Pattern Matcher File Files Paths Path
length charAt substring indexOf lastIndexOf contains startsWith endsWith equals equalsIgnoreCase compareTo toString
toCharArray toLowerCase toUpperCase trim strip split join replace replaceAll isEmpty isBlank repeat format valueOf
parseInt parseDouble parseLong intValue append reverse insert deleteCharAt setLength add get set put remove size
containsKey containsValue getOrDefault putIfAbsent computeIfAbsent merge keySet values entrySet getKey getValue
addAll asList of sort stream map filter reduce collect toList toSet toMap forEach sum average mapToInt boxed
iterator hasNext next push pop peek poll offer min max abs pow sqrt floor ceil round random out println print
isDigit isLetter isLetterOrDigit isUpperCase isLowerCase isWhitespace hashCode copyOf copyOfRange fill
""",
    "go": """
break case chan const continue default defer else fallthrough for func go goto if import interface map package range
return select struct switch type var nil true false iota append cap close copy delete len make new panic print println
recover string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 byte rune float32 float64 bool error any
main fmt strings strconv sort math errors os io bytes time regexp unicode utf8 json rand sync bufio filepath
Println Printf Sprintf Errorf Sprint Fprintf Contains HasPrefix HasSuffix Index LastIndex Join Split Fields Repeat
Replace ReplaceAll ToUpper ToLower Title Trim TrimSpace TrimLeft TrimRight TrimPrefix TrimSuffix Builder WriteString
WriteRune WriteByte String Itoa Atoi ParseInt ParseFloat FormatInt Ints Strings Slice Sort Abs Max Min Pow Sqrt Floor
Ceil Mod MaxInt64 MinInt64 Inf NaN New Error IsDigit IsLetter IsUpper IsLower IsSpace Now Since Duration Second
Marshal Unmarshal Open Create ReadFile WriteFile Close Read Write Lock Unlock Wait Add Done
""",
    "php": """
php abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty
endfor endforeach endif endwhile extends final finally fn for foreach function global if implements include instanceof
insteadof interface isset list match namespace new null or print private protected public readonly require return
static switch this throw trait true false try unset use var while xor yield int float string bool void mixed iterable
object self parent count sizeof strlen strpos stripos strrpos substr substr_count str_replace str_repeat str_pad
str_split str_contains str_starts_with str_ends_with strrev strtolower strtoupper ucfirst ucwords lcfirst trim ltrim
rtrim explode implode join sprintf printf number_format preg_match preg_match_all preg_replace preg_split
array_map array_filter array_reduce array_merge array_keys array_values array_flip array_slice array_splice
array_push array_pop array_shift array_unshift array_reverse array_sum array_product array_unique array_search
array_key_exists array_combine array_fill array_column array_diff array_intersect array_walk in_array range sort rsort
usort uasort uksort asort arsort ksort krsort max min abs floor ceil round sqrt pow intdiv rand mt_rand is_array
is_string is_int is_numeric is_null is_bool is_float intval floatval strval json_encode json_decode date time strtotime
mktime file_get_contents file_put_contents file_exists fopen fclose fgets fread fwrite md5 sha1 hash base64_encode
base64_decode htmlspecialchars urlencode mb_strlen mb_substr mb_strtoupper mb_strtolower ord chr Exception
InvalidArgumentException DateTime
""",
}
_OTHERS["typescript"] = _OTHERS["javascript"]

# What nearly every author calls things, one plain word each.
_COMMON = """
text string str word words char chars line lines data value values key keys item items list lst array arr dict result
results output input name names path file files filename folder directory url index start end first last left right
count total size length width height depth row rows column columns col matrix number num numbers nums integer digits
node root parent child children head tail next prev date year month day hour minute second seconds x y n i j k
func callback key pattern sep separator delimiter prefix suffix encoding format default other temp tmp buffer
"""

# What an interpreter says of errors, and what is said of a code that cannot simply be called.
_ERRORS = """
Traceback most recent call last File line in module raised exception error Error fatal Fatal Uncaught TypeError
ValueError NameError KeyError IndexError AttributeError ImportError ModuleNotFoundError ZeroDivisionError
ReferenceError SyntaxError missing required positional argument arguments takes given were was but got an unexpected
keyword name is not defined object has no attribute must be of type at least expected instance unsupported operand
for and NoneType cannot import from named int str float list dict tuple result passed failed cases case usable
returned did load compile timed out it asynchronous method its parameter decorated with generator top level function
Python Undefined undefined constant class found than Too few exactly Result Output of instead raising itself hold held
exit code exited forbidden killed memory limit process the program ended normally before after stopped own no such
assert assertion assertions AssertionError panic goroutine main running candidate py js php java go node
"""

# Words by which a verdict is given: no name keeps them, whatever library has it, too.
_VERDICTS = frozenset(
    ("match", "fullmatch", "label", "labels", "accept", "accepted", "yes", "no", "answer", "judge", "ok", "correct")
)


_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _is_compound(name: str) -> bool:
    """Whether a name has several parts, and no word by which a verdict is given."""
    parts = {part.lower() for part in _PARTS.findall(name)}
    return len(parts) > 1 and not parts & _VERDICTS


def _of_namespaces() -> Iterator[str]:
    for name in _PYTHON_NAMESPACES.split():
        try:
            module = importlib.import_module(name)
        except ImportError:
            # Some builds of Python leave parts of the library out.
            continue
        classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
        yield from (known for thing in (module, *classes) for known in dir(thing) if _is_compound(known))


def _python() -> frozenset[str]:
    named = (name for thing in (*_PYTHON_TYPES, *_PYTHON_MODULES) for name in dir(thing))
    known = {*keyword.kwlist, *sys.stdlib_module_names, *_PYTHON_LIBRARIES.split(), "print", "exec", *named}
    known.update(_of_namespaces())
    return frozenset(name for name in known if not name.startswith("_") or name.endswith("__"))


_COMMON_WORDS = frozenset(_COMMON.split())
OF_LANGUAGE = {"python": _python(), **{language: frozenset(words.split()) for language, words in _OTHERS.items()}}
_LETTERS = frozenset(word for words in OF_LANGUAGE.values() for word in words if len(word) == 1)
KNOWN = {language: (words - _LETTERS | _COMMON_WORDS) - _VERDICTS for language, words in OF_LANGUAGE.items()}
SAID_OF_ERRORS = frozenset(_ERRORS.split())
