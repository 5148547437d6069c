"""Code as the index holds it, and what a search asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FUNCTION_FORMS = frozenset({"function", "method", "nested"})
CLASS_FORMS = frozenset({"class"})
ALL_FORMS = FUNCTION_FORMS | CLASS_FORMS

_SEPARATORS = re.compile(r"[-_.]+")

Vectors = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class IndexedCode:
    """A function or class that can be found.

    `record` is the whole fact as it came, opaque here. `dated_at` is when the version was released or, where a
    version has no date (a commit), when this code was last changed: ISO 8601 in UTC, empty when unknown.
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

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return next((line.strip() for line in self.docstring.splitlines() if line.strip()), "")

    @property
    def lineage(self) -> tuple[str, str, str]:
        """What stays the same from version to version: source, path and qualified name."""
        return (self.source_id, plain_path(self.path, self.repository, self.version), self.qualname)


@dataclass(frozen=True)
class IndexEntry:
    """Code with its vector for each model: (d,) float32, L2-normalised."""

    code: IndexedCode
    vectors: Vectors


@dataclass(frozen=True)
class SearchFilter:
    """What may be found.

    Args:
        repository: Only this package or repository; empty for all.
        language: Only this language; empty for all.
        forms: Only these forms.
        superseded: Whether code that a newer version replaced may be found too.
        pairs_only: Only functions with a parameter and a returned value (CoSQA+ corpus filter).
    """

    repository: str = ""
    language: str = ""
    forms: frozenset[str] = FUNCTION_FORMS
    superseded: bool = False
    pairs_only: bool = False

    def admits(self, code: IndexedCode, *, superseded: bool) -> bool:
        """Whether this code may be found."""
        return (
            (not self.repository or repository_key(self.repository) == repository_key(code.repository))
            and (not self.language or self.language.lower() == code.language.lower())
            and code.form in self.forms
            and (self.superseded or not superseded)
            and (not self.pairs_only or code.searchable_pair)
        )


@dataclass(frozen=True)
class Hit:
    """Code that was found; `score` is the weighted mean cosine similarity over the models, -1 to 1."""

    code: IndexedCode
    score: float
    superseded: bool = False


def plain_path(path: str, repository: str, version: str) -> str:
    """A path without the leading folder that names package and version, as archives of packages have it.

    Example:
        >>> plain_path("shapes-1.0/shapes/core.py", "Shapes", "1.0")
        'shapes/core.py'
    """
    top, _, rest = path.partition("/")
    return rest if rest and repository_key(top) == repository_key(f"{repository}-{version}") else path


def repository_key(name: str) -> str:
    """A repository's name as it is compared: package names by their usual normal form, others by case only.

    Example:
        >>> repository_key("More_Itertools"), repository_key("https://example.org/A.git")
        ('more-itertools', 'https://example.org/a.git')
    """
    folded = name.strip().lower()
    return folded if "/" in folded else _SEPARATORS.sub("-", folded)
