"""From a name that is not there to what brings it: an import statement, or a package to install."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Modules that snippets use under their own name without importing them.
# fmt: off
_MODULES = frozenset((
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "codecs", "collections",
    "colorsys", "configparser", "contextlib", "copy", "csv", "ctypes", "dataclasses", "dateutil", "decimal",
    "difflib", "email", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getpass", "glob", "gzip",
    "hashlib", "heapq", "hmac", "html", "http", "importlib", "inspect", "io", "ipaddress", "itertools", "json",
    "keyword", "linecache", "locale", "logging", "math", "matplotlib", "mimetypes", "networkx", "numbers", "numpy",
    "operator", "os", "pandas", "pathlib", "pickle", "pkgutil", "platform", "posixpath", "pprint", "queue", "random",
    "re", "regex", "requests", "sched", "scipy", "secrets", "select", "shlex", "shutil", "signal", "six", "socket",
    "sortedcontainers", "sqlite3", "stat", "statistics", "string", "struct", "subprocess", "sympy", "sys", "tarfile",
    "tempfile", "textwrap", "threading", "time", "timeit", "token", "tokenize", "traceback", "types", "typing",
    "unicodedata", "unittest", "urllib", "uuid", "warnings", "weakref", "xml", "yaml", "zipfile", "zlib",
))
# fmt: on

# Names that come from inside a module, or under another name.
_MEMBERS: dict[str, str] = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "nx": "import networkx as nx",
    "sp": "import scipy as sp",
    "plt": "import matplotlib.pyplot as plt",
    "tf": "import tensorflow as tf",
    "ET": "import xml.etree.ElementTree as ET",
    "etree": "import xml.etree.ElementTree as etree",
    "urlparse": "from urllib.parse import urlparse",
    "urlencode": "from urllib.parse import urlencode",
    "quote": "from urllib.parse import quote",
    "StringIO": "from io import StringIO",
    "BytesIO": "from io import BytesIO",
    "Path": "from pathlib import Path",
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "date": "from datetime import date",
    "timedelta": "from datetime import timedelta",
    "timezone": "from datetime import timezone",
    "deepcopy": "from copy import deepcopy",
    "reduce": "from functools import reduce",
    "partial": "from functools import partial",
    "wraps": "from functools import wraps",
    "lru_cache": "from functools import lru_cache",
    "dataclass": "from dataclasses import dataclass",
    "contextmanager": "from contextlib import contextmanager",
    "sqrt": "from math import sqrt",
    "ceil": "from math import ceil",
    "floor": "from math import floor",
    "pi": "from math import pi",
    "itemgetter": "from operator import itemgetter",
    "attrgetter": "from operator import attrgetter",
    **{name: f"from collections import {name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")},
    "namedtuple": "from collections import namedtuple",
    **{name: f"from collections.abc import {name}" for name in ("Iterable", "Mapping", "Sequence", "MutableMapping")},
    **{
        name: f"from itertools import {name}"
        for name in ("chain", "combinations", "cycle", "groupby", "islice", "permutations", "product", "repeat")
    },
    **{name: f"from typing import {name}" for name in ("Any", "Dict", "List", "Optional", "Tuple", "Union", "cast")},
    # Names that went away with Python 2; much code on the web still uses them.
    "xrange": "xrange = range",
    "unicode": "unicode = str",
    "basestring": "basestring = str",
    "long": "long = int",
    "unichr": "unichr = chr",
    "raw_input": "raw_input = input",
    "izip": "izip = zip",
    "imap": "imap = map",
    "ifilter": "ifilter = filter",
    "string_types": "string_types = (str,)",
}

# Import name to package name, where the two differ.
_PACKAGES: dict[str, str] = {
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "Crypto": "pycryptodome",
    "attr": "attrs",
    "serial": "pyserial",
    "OpenSSL": "pyopenssl",
    "jwt": "pyjwt",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "magic": "python-magic",
    "slugify": "python-slugify",
    "Levenshtein": "levenshtein",
    "zmq": "pyzmq",
    "git": "gitpython",
    "psycopg2": "psycopg2-binary",
    "MySQLdb": "mysqlclient",
    "usb": "pyusb",
    "ruamel": "ruamel.yaml",
    "google": "protobuf",
    "pkg_resources": "setuptools",
}

_MISSING = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named ['\"]?([\w.]+)")
# Node, ecj and javac, Go's compiler, PHP: each names what it lacks in its own way.
_MISSING_ELSEWHERE = re.compile(
    r"Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w.-]+)"
    r"|The import ([\w.]+) cannot be resolved|package ([\w.]+) does not exist"
    r"|could not import ([\w./-]+)|package ([\w./-]+) is not in std"
    r"|Class \"([\w\\\\]+)\" not found"
)
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}(\[[A-Za-z0-9._,-]{1,60}\])?"
    r"((==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]{1,30}(,(==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]{1,30}){0,3})?"
)
_INSTALL = re.compile(r"^(?:\$\s*)?(?:sudo\s+)?(?:python3?\s+-m\s+)?pip3?\s+install\s+(.*)$")


def import_for(name: str, code: str) -> str:
    """The statement that defines a well-known name; empty when the name is not well known.

    Args:
        name: The name that nothing in the code defines.
        code: The code, which tells the module `datetime` from the class of that name.
    """
    if name == "datetime":
        module = re.search(r"\bdatetime\.(datetime|timedelta|date|time|timezone|MINYEAR|MAXYEAR)\b", code)
        return "import datetime" if module else "from datetime import datetime"
    if name in _MEMBERS:
        return _MEMBERS[name]
    return f"import {name}" if name in _MODULES else ""


def missing_module(output: str) -> str:
    """The module that a traceback or a compiler says is missing; empty when it says no such thing.

    Example:
        >>> missing_module("ModuleNotFoundError: No module named 'yaml.nodes'")
        'yaml'
        >>> missing_module("Error: Cannot find module 'lodash'")
        'lodash'
    """
    found = _MISSING.findall(output)
    if found:
        return found[-1].split(".")[0]
    other = _MISSING_ELSEWHERE.search(output)
    return next((name for name in other.groups() if name), "") if other else ""


def package_for(module: str) -> str:
    """The package that brings an importable module."""
    return _PACKAGES.get(module, module.replace("_", "-"))


def installed_by(command: str) -> tuple[str, ...]:
    """The requirement specifiers that a line of a terminal would install; none where it does something else.

    Example:
        >>> installed_by("python -m pip install pyyaml && python tests.py"), installed_by("cat setup.py")
        (('pyyaml',), ())
    """
    first = re.split(r"&&|\|\||[;|]", command.strip(), maxsplit=1)[0].strip()
    return requirements_in([first]) if _INSTALL.match(first) else ()


def requirements_in(words: Iterable[str]) -> tuple[str, ...]:
    """The requirement specifiers in what a model proposed to install, and nothing else.

    Bare names and `pip install …` lines are understood. Options, addresses and paths are dropped: what is
    installed must come from the configured index, by name.

    Example:
        >>> requirements_in(["pip install numpy>=1.2 --index-url evil", "git+ssh://x/y", "PyYAML"])
        ('numpy>=1.2', 'PyYAML')
    """
    kept: dict[str, None] = {}
    for word in words:
        line = word.strip()
        command = _INSTALL.match(line)
        items = command.group(1).split() if command else [line]
        skip = False
        for item in items:
            if skip or item.startswith("-"):
                # The value of an option with one is no requirement either.
                skip = not skip and item in {"-i", "--index-url", "--extra-index-url", "-r", "-f", "--find-links", "-c"}
                continue
            requirement = item.strip("'\"")
            if _REQUIREMENT.fullmatch(requirement):
                kept.setdefault(requirement)
    return tuple(kept)[:8]
