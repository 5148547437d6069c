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

# Packages of Java's classes to the archives that bring them, by the longest that fits.
_ARCHIVES: dict[str, str] = {
    "com.fasterxml.jackson.annotation": "com.fasterxml.jackson.core:jackson-annotations",
    "com.fasterxml.jackson.core": "com.fasterxml.jackson.core:jackson-core",
    "com.fasterxml.jackson.databind": "com.fasterxml.jackson.core:jackson-databind",
    "com.google.common": "com.google.guava:guava",
    "com.google.gson": "com.google.code.gson:gson",
    "javax.annotation": "javax.annotation:javax.annotation-api",
    "junit": "junit:junit",
    "org.apache.commons.codec": "commons-codec:commons-codec",
    "org.apache.commons.collections": "commons-collections:commons-collections",
    "org.apache.commons.collections4": "org.apache.commons:commons-collections4",
    "org.apache.commons.csv": "org.apache.commons:commons-csv",
    "org.apache.commons.io": "commons-io:commons-io",
    "org.apache.commons.lang": "commons-lang:commons-lang",
    "org.apache.commons.lang3": "org.apache.commons:commons-lang3",
    "org.apache.commons.math3": "org.apache.commons:commons-math3",
    "org.apache.commons.text": "org.apache.commons:commons-text",
    "org.hamcrest": "org.hamcrest:hamcrest",
    "org.joda.time": "joda-time:joda-time",
    "org.json": "org.json:json",
    "org.jsoup": "org.jsoup:jsoup",
    "org.junit": "junit:junit",
    "org.slf4j": "org.slf4j:slf4j-api",
}
_JAVA_IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)

_MISSING = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named ['\"]?([\w.]+)")
# Node and TypeScript, ecj and javac, Go's compiler, PHP: each names what it lacks in its own way. A file beside the
# code ("./helper") is no package.
_MISSING_ELSEWHERE = re.compile(
    r"Cannot find (?:module|package) '((?:@\w[\w.-]*/)?\w[\w.-]*)"
    r"|The import ([\w.]+) cannot be resolved|package ([\w.]+) does not exist"
    r"|could not import ([\w./-]+)|package ([\w./-]+) is not in std"
    r"|(?:no required module provides|cannot find module providing) package ([\w./-]+)"
    r"|(?:Class|Interface|Trait|Enum) \"([\w\\]+)\" not found"
    # A function without a namespace is one of a file that is not there, and of no package.
    r"|Call to undefined function (\w+(?:\\\w+)+)\(\)|Failed opening required '([^']*\bvendor/[^']+)'"
)
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}(\[[A-Za-z0-9._,-]{1,60}\])?"
    r"((==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]{1,30}(,(==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]{1,30}){0,3})?"
)
_PIP = re.compile(r"^(?:\$\s*)?(?:sudo\s+)?(?:python3?\s+-m\s+)?pip3?\s+install\s+(.*)$")
_NPM = re.compile(r"^(?:\$\s*)?(?:sudo\s+)?(?:npm\s+(?:install|i|add)|(?:yarn|pnpm)\s+add)\s+(.*)$")
_NPM_REQUIREMENT = re.compile(r"(?:@[a-z0-9][\w.-]{0,60}/)?[a-z0-9][\w.-]{0,79}(?:@[~^]?[0-9][\w.+-]{0,30})?")
_MVN = re.compile(r"^(?:\$\s*)?mvn\s+(?:-\S+\s+)*(?:[\w.:-]*:)?get\s+(.*)$")
_MVN_REQUIREMENT = re.compile(r"(?:-Dartifact=)?([A-Za-z_][\w.-]{0,79}:[A-Za-z_][\w.-]{0,79}(?::[0-9][\w.+-]{0,30})?)")
_GO = re.compile(r"^(?:\$\s*)?go\s+(?:get|install|mod\s+download)\s+(.*)$")
# A path that begins with a server's name; a query or a branch behind `@` is dropped with the whole word.
_GO_REQUIREMENT = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63})+(?:/[A-Za-z0-9_~-][\w.~-]{0,79}){1,9}"
    r"(?:@v\d{1,9}\.\d{1,9}\.\d{1,19}(?:-[\w.-]{1,60})?(?:\+incompatible)?)?(?:@latest)?"
)
# What installs, what may be installed, and how a person would say it; other languages have none in the sandbox.
_INSTALLERS = {
    "python": (_PIP, _REQUIREMENT, "pip install NAME"),
    "javascript": (_NPM, _NPM_REQUIREMENT, "npm install NAME"),
    "typescript": (_NPM, _NPM_REQUIREMENT, "npm install NAME"),
    "java": (_MVN, _MVN_REQUIREMENT, "mvn dependency:get -Dartifact=GROUP:NAME:VERSION"),
    "go": (_GO, _GO_REQUIREMENT, "go get PATH"),
}
_NAMES_ARTIFACT = "-Dartifact="
# The next word belongs to these, and is no requirement.
_WITH_VALUE = frozenset(
    ("-i", "--index-url", "--extra-index-url", "-r", "-f", "--find-links", "-c", "--registry", "--prefix", "--tag")
)


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


def how_to_install(language: str) -> str:
    """The command that installs a package of a language; empty where the sandbox installs none."""
    return _INSTALLERS[language][2] if language in _INSTALLERS else ""


def package_for(module: str, language: str = "python", source: str = "") -> str:
    """The package that brings an importable module; empty where none can be installed, or none is known.

    Args:
        module: As a compiler or an interpreter names it; Java's names only how the missing name begins.
        language: The code's.
        source: The program, whose import statements tell the rest of a name of Java.

    Example:
        >>> package_for("yaml"), package_for("yaml", "javascript"), package_for("yaml", "php")
        ('pyyaml', 'yaml', '')
        >>> package_for("example.org/yaml/v3", "go"), package_for("no/such/thing", "go")
        ('example.org/yaml/v3', '')
        >>> package_for("com.google", "java", "import com.google.gson.Gson;")
        'com.google.code.gson:gson'
    """
    if language == "python":
        return _PACKAGES.get(module, module.replace("_", "-"))
    if language == "java":
        names = [module, *(name for name in _JAVA_IMPORT.findall(source) if f"{name}.".startswith(f"{module}."))]
        known = [prefix for name in names for prefix in _ARCHIVES if f"{name}.".startswith(f"{prefix}.")]
        return _ARCHIVES[max(known, key=len)] if known else ""
    return next(iter(requirements_in([module], language)), "")


def installed_by(command: str, language: str = "python") -> tuple[str, ...]:
    """The requirement specifiers that a line of a terminal would install; none where it does something else.

    Example:
        >>> installed_by("python -m pip install pyyaml && python tests.py"), installed_by("cat setup.py")
        (('pyyaml',), ())
        >>> installed_by("npm i --save lodash", "javascript"), installed_by("pip install lodash", "javascript")
        (('lodash',), ())
        >>> installed_by("go get -u example.org/a/b@v1.2.3 ./... example.org/c@main", "go")
        ('example.org/a/b@v1.2.3',)
    """
    first = re.split(r"&&|\|\||[;|]", command.strip(), maxsplit=1)[0].strip()
    known = _INSTALLERS.get(language)
    return requirements_in([first], language) if known and known[0].match(first) else ()


def requirements_in(words: Iterable[str], language: str = "python") -> tuple[str, ...]:
    """The requirement specifiers in what a model proposed to install, and nothing else.

    Bare names and lines of the language's own tool are understood. Options, addresses and paths are dropped: what is
    installed must come from the configured index, by name. Nothing is left where a language has no packages here.

    Example:
        >>> requirements_in(["pip install numpy>=1.2 --index-url evil", "git+ssh://x/y", "PyYAML"])
        ('numpy>=1.2', 'PyYAML')
        >>> requirements_in(["npm install @types/node left-pad@^1.3.0 ../x"], "typescript")
        ('@types/node', 'left-pad@^1.3.0')
    """
    if language not in _INSTALLERS:
        return ()
    install, requirement, _ = _INSTALLERS[language]
    kept: dict[str, None] = {}
    for word in words:
        line = word.strip()
        command = install.match(line)
        items = command.group(1).split() if command else [line]
        skip = False
        for item in items:
            if skip or (item.startswith("-") and not item.startswith(_NAMES_ARTIFACT)):
                # The value of an option with one is no requirement either.
                skip = not skip and item in _WITH_VALUE
                continue
            found = requirement.fullmatch(item.strip("'\""))
            if found:
                kept.setdefault(found[1] if language == "java" else found[0].removesuffix("@latest"))
    return tuple(kept)[:8]
