"""Code as the index holds it, and what a search asks for."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from retriever.domain.exact import holds, matches, path_expression, symbol_expression, twin_digest

FUNCTION_FORMS = frozenset({"function", "method", "nested"})
CLASS_FORMS = frozenset({"class"})
ALL_FORMS = FUNCTION_FORMS | CLASS_FORMS

_SEPARATORS = re.compile(r"[-_.]+")

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class IndexedCode:
    """A function or class that can be found.

    `record` is the whole fact as it came, opaque here. `dated_at` is when the version was released or, where a
    version has no date (a commit), when this code was last changed: ISO 8601 in UTC, empty when unknown. `changed_at`
    is the other way round, the change before the release, in the zone that the source has.
    """

    function_id: str
    source_id: str
    source_version_id: str
    repository: str
    version: str
    dated_at: str
    language: str
    path: str
    qualname: str
    form: str
    code: str
    docstring: str
    searchable_pair: bool
    record: str = field(repr=False)
    licence: str = ""
    line_start: int = 0
    line_end: int = 0
    changed_at: str = ""

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return next((line.strip() for line in self.docstring.splitlines() if line.strip()), "")

    @property
    def lineage(self) -> tuple[str, str, str]:
        """What stays the same from version to version: source, path and qualified name."""
        return (self.source_id, self.plain_path, self.qualname)

    @property
    def plain_path(self) -> str:
        """The path without a leading folder that names the version."""
        return plain_path(self.path, self.repository, self.version)

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What lists are ordered by: repository, path, qualified name, and the id, so that the order is total."""
        return (repository_key(self.repository), self.plain_path, self.qualname, self.function_id)

    @property
    def twin(self) -> str:
        """The same for codes of a language that differ in white space at most, where that tells nothing."""
        return twin_digest(self.code, self.language)

    @property
    def digest(self) -> int:
        """Tells it from other codes, and from what it was before it was replaced: 48 bits, see `content_digest`."""
        named = f"{self.function_id}\0{self.record}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(named, digest_size=6).digest(), "big")


@dataclass(frozen=True)
class IndexEntry:
    """Code with its vector for each model: (d,) float32, L2-normalised."""

    code: IndexedCode
    vectors: Vectors


@dataclass(frozen=True)
class SearchFilter:
    """What may be found; everything that is set must hold, and of several values any.

    Args:
        repositories: Packages or repositories; none for all.
        languages: Languages; none for all.
        forms: Only these forms.
        superseded: Whether code that a newer version replaced may be found too.
        pairs_only: Only functions with a parameter and a returned value (CoSQA+ corpus filter).
        licences: Licences as sources state them, letter case aside; none for all.
        symbol: See `symbol_expression`; empty for all.
        path: See `path_expression`; empty for all.
        pattern: A regular expression that the code holds somewhere; empty for all.
        version: Release version or commit; empty for all.
    """

    repositories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    forms: frozenset[str] = FUNCTION_FORMS
    superseded: bool = False
    pairs_only: bool = False
    licences: tuple[str, ...] = ()
    symbol: str = ""
    path: str = ""
    pattern: str = ""
    version: str = ""

    @property
    def repository_keys(self) -> list[str]:
        """The repositories in the form in which they are compared."""
        return sorted({repository_key(name) for name in self.repositories})

    @property
    def language_keys(self) -> list[str]:
        """The languages in the form in which they are compared."""
        return sorted({name.lower() for name in self.languages})

    @property
    def licence_keys(self) -> list[str]:
        """The licences in the form in which they are compared."""
        return sorted({licence_key(name) for name in self.licences})

    @property
    def exact(self) -> bool:
        """Whether it says what to find, so that no query is needed."""
        return bool(self.symbol or self.path or self.pattern)

    def admits(self, code: IndexedCode, *, superseded: bool) -> bool:
        """Whether this code may be found.

        Raises:
            BadRequestError: the pattern takes too long on it.
        """
        return (
            (not self.repositories or repository_key(code.repository) in self.repository_keys)
            and (not self.languages or code.language.lower() in self.language_keys)
            and code.form in self.forms
            and (self.superseded or not superseded)
            and (not self.pairs_only or code.searchable_pair)
            and (not self.licences or licence_key(code.licence) in self.licence_keys)
            and (not self.version or self.version == code.version)
            and self.admits_text(code)
        )

    def admits_text(self, code: IndexedCode) -> bool:
        """Whether symbol, path and pattern admit this code."""
        return (
            (not self.symbol or matches(symbol_expression(self.symbol), code.qualname.lower()))
            and (not self.path or matches(path_expression(self.path), code.plain_path))
            and (not self.pattern or holds(self.pattern, code.code))
        )


@dataclass(frozen=True)
class Listed:
    """A code that a filter admits, as far as lists and merged views need it; see `IndexedCode.place` and `twin`."""

    function_id: str
    place: tuple[str, str, str, str]
    twin: str


@dataclass(frozen=True)
class Hit:
    """Code that was found; `score` is the weighted mean cosine similarity over the models, -1 to 1."""

    code: IndexedCode
    score: float
    superseded: bool = False


@dataclass(frozen=True)
class IndexCounts:
    """How many codes can be found, and how many of them a newer version replaced."""

    indexed: int
    superseded: int


def content_digest(held: int, lacking: Mapping[str, int]) -> str:
    """Names what an index holds: the same in whatever order it came, and at every store.

    Args:
        held: Sum of `IndexedCode.digest` over all codes. Sums take any order, and what was replaced leaves them.
        lacking: By space the sum over the codes that have no vector of it.
    """
    told = [held, sorted((key, of_codes) for key, of_codes in lacking.items() if of_codes)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def plain_path(path: str, repository: str, version: str) -> str:
    """A path without the leading folder that names package and version, as archives of packages have it.

    Example:
        >>> plain_path("shapes-1.0/shapes/core.py", "Shapes", "1.0")
        'shapes/core.py'
    """
    top, _, rest = path.partition("/")
    return rest if rest and repository_key(top) == repository_key(f"{repository}-{version}") else path


def licence_key(licence: str) -> str:
    """A licence as it is compared."""
    return licence.strip().lower()


def repository_key(name: str) -> str:
    """A repository's name as it is compared: package names by their usual normal form, others by case only.

    Example:
        >>> repository_key("More_Itertools"), repository_key("https://example.org/A.git")
        ('more-itertools', 'https://example.org/a.git')
    """
    folded = name.strip().lower()
    return folded if "/" in folded else _SEPARATORS.sub("-", folded)
