"""Query sets in BEIR form and runs in TREC form."""

from __future__ import annotations

import itertools
import json
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from touchstone_runtime.errors import PermanentError

_UNFIT = re.compile(r"[^\w.-]+")
# What parts the fields of a run, as trec_eval has it: no other white space does.
_BETWEEN = " \t\r\f\v"
_FIELD = re.compile(f"[^{_BETWEEN}]+")
# `query Q0 code rank score tag`.
_FIELDS = 6
# What stands in the second place, which tells nothing.
_FILLERS = ("Q0", "q0", "0")
_LABEL = re.compile(r"-?[0-9]{1,9}")
# What a heading calls the column of labels: a number, of whatever form, is none.
_NAME_OF_COLUMN = re.compile(r"(?!nan$|inf)[a-z][a-z _-]*", re.IGNORECASE)


@dataclass(frozen=True)
class QuerySet:
    """Codes, queries and labels by id; a label above 0 means that the code answers the query.

    Attributes:
        judged: For each query the codes that have a label, whatever it says.
        undecided: For each query the codes about which nobody could tell.
        grades: For each query the labels above 0 of codes as they were given; 1 where none is.
    """

    codes: dict[str, str]
    queries: dict[str, str]
    labels: dict[str, frozenset[str]]
    judged: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    undecided: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    grades: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    @property
    def gains(self) -> dict[str, dict[str, int]]:
        """For each query what each of its correct codes gains."""
        return {
            query: {code: self.grades.get(query, {}).get(code, 1) for code in codes}
            for query, codes in self.labels.items()
        }

    def answerable(self) -> QuerySet:
        """The set with the labels of queries that have a correct code: who asks others, or judges them, scores nothing.

        Raises:
            PermanentError: no query has one.
        """
        labels = {query: codes for query, codes in self.labels.items() if codes}
        if not labels:
            raise PermanentError("no query has a correct code", thing="qrels", way_out="name another split")
        judged = {query: codes for query, codes in self.judged.items() if query in labels}
        return replace(self, labels=labels, judged=judged)


def read_beir(folder: Path, split: str) -> QuerySet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`.

    The flat names `queries_<split>.jsonl` and `qrels_<split>.tsv` are taken as well. `undecided.tsv`, which releases of
    labels have, names pairs about which nobody could tell.

    Raises:
        PermanentError: a file is missing, a line is not of the form, or two say different things of the same: of two
            labels of a pair, or two texts with one id, nobody can tell which is meant.
    """
    qrels = _first(folder / "qrels" / f"{split}.tsv", folder / f"qrels_{split}.tsv")
    queries = _first(folder / f"queries_{split}.jsonl", folder / "queries.jsonl")
    labels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_text(qrels).split("\n"), start=1):
        parts = line.split("\t")
        if not line.strip():
            continue
        told = len(parts) == 3 and parts[2].strip()
        if number == 1 and told and _NAME_OF_COLUMN.fullmatch(told):
            continue
        if not told or not _LABEL.fullmatch(told):
            raise PermanentError(f"line {number} is not query, code and label", thing=str(qrels))
        if labels.setdefault(parts[0], {}).setdefault(parts[1], int(told)) != int(told):
            raise PermanentError(f"line {number} gives a pair another label than a line before", thing=str(qrels))
    correct = {query: {code: label for code, label in of.items() if label > 0} for query, of in labels.items()}
    grades = {query: of_query for query, of_query in correct.items() if of_query}
    return QuerySet(
        _texts(_first(folder / "corpus.jsonl")),
        _texts(queries),
        {query: frozenset(of_query) for query, of_query in grades.items()},
        {query: frozenset(of_query) for query, of_query in labels.items()},
        _frozen(_undecided(folder / "undecided.tsv")),
        grades,
    )


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {query: frozenset(codes) for query, codes in sets.items()}


def _undecided(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for number, line in enumerate(_text(path).split("\n") if path.is_file() else (), start=1):
        parts = line.split("\t")
        if not line.strip():
            continue
        if len(parts) != 2:
            raise PermanentError(f"line {number} is not query and code", thing=str(path))
        if number > 1:
            found.setdefault(parts[0], set()).add(parts[1])
    return found


def languages_of(folder: Path) -> dict[str, str]:
    """The language of each code of a corpus that names one."""
    return {name: str(one["language"]) for name, one in rows_of(folder) if one.get("language")}


def rows_of(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Id and content of each row of a corpus.

    Raises:
        PermanentError: there is no corpus, or a line is no row.
    """
    for name, _words, one in _rows(_first(folder / "corpus.jsonl")):
        yield name, one


def read_run(path: Path) -> dict[str, list[str]]:
    """Read a TREC run: rankings by query, best first; equal scores by id from the end.

    Scores are compared in single precision, as trec_eval reads them: what differs less is equal. Ids may hold spaces in
    lines whose six fields are parted by tabs.

    Raises:
        PermanentError: the file is missing or no text, or a line is not `query Q0 code rank score tag`: with a field
            more or less nobody can tell which words are the ids.
    """
    scored: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_text(_first(path)).split("\n"), start=1):
        if not line.strip(_BETWEEN):
            continue
        try:
            query, filler, code, rank, score, _tag = _fields(line)
            value = _single(float(score))
            if filler not in _FILLERS or math.isnan(float(rank)) or math.isnan(value):
                # A score that is no number is neither above nor below any other: what stands beside it would keep the
                # order of the file. With another word in the second place, or a rank that is none, an id has a space.
                raise ValueError(line)
            scored.setdefault(query, {}).setdefault(code, value)
        except ValueError as error:
            raise PermanentError(f"line {number} is not `query Q0 code rank score tag`", thing=str(path)) from error
    return {query: ranked(scores) for query, scores in scored.items()}


def _fields(line: str) -> list[str]:
    """The fields of a line of a run: what stands between tabs where these make six of it, else every word."""
    tabbed = [field.strip(_BETWEEN) for field in line.split("\t")]
    return tabbed if len(tabbed) == _FIELDS and all(tabbed) else _FIELD.findall(line)


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Codes by score, best first; equal scores by id from the end."""
    return [code for code, _score in sorted(scores.items(), key=lambda one: (one[1], one[0]), reverse=True)]


def run_files(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The file of each retriever's run, no two of them the same.

    Example:
        >>> [file.name for file in run_files(Path("runs"), ["plain", "a/b", "a-b"]).values()]
        ['plain.run', 'a-b.run', 'a-b-2.run']
    """
    found: dict[str, Path] = {}
    for name in names:
        stem = name.replace("/", "-")
        further = (f"{stem}-{number}.run" for number in itertools.count(2))
        free = (file for file in itertools.chain([f"{stem}.run"], further) if folder / file not in found.values())
        found[name] = folder / next(free)
    return found


def run_lines(rankings: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> Iterator[str]:
    """The lines of a TREC run whose readers find the very order of the rankings.

    Where a score is not below the one before it in single precision, it is written as the next lower number: equal
    scores would be ordered by id, not as they were ranked.

    Args:
        rankings: For each query codes with scores, best first.
        tag: Name of the run; what is no letter, digit or one of `._-` becomes `-`.

    Raises:
        PermanentError: an id is empty, or has a tab, an end of a line, or white space at an end. Fields beside an id
            with a space are parted by tabs, which `read_run` takes and other readers refuse.
    """
    name = _UNFIT.sub("-", tag)
    for query, of_query in rankings.items():
        before = math.inf
        for rank, (code, score) in enumerate(of_query, start=1):
            before = _single(score) if _single(score) < before else _below(before)
            between = "\t" if _spaced(query) or _spaced(code) else " "
            yield between.join((query, "Q0", code, str(rank), f"{before:.9g}", name))


def _spaced(name: str) -> bool:
    """Whether an id is more than one word.

    Raises:
        PermanentError: no line of a run can hold it.
    """
    if not name or name != name.strip(_BETWEEN) or any(mark in name for mark in "\t\r\n"):
        raise PermanentError(
            "the id cannot stand in a run",
            thing=repr(name),
            way_out="give ids without tabs, ends of lines, and white space at their ends",
        )
    return _FIELD.fullmatch(name) is None


def _single(value: float) -> float:
    """The number of single precision that stands for a number."""
    return array("f", (value,))[0]


def _below(value: float) -> float:
    """The next lower number of single precision."""
    step = abs(value) * 2.0**-24
    lower = _single(value - step)
    while lower >= value:
        step = max(step * 2, 2.0**-149)
        lower = _single(value - step)
    return lower


def _texts(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text, one in _rows(path):
        whole = f"{one['title']}\n{text}" if one.get("title") else str(text)
        if found.setdefault(name, whole) != whole:
            raise PermanentError(f"has two texts with the id {name[:80]}", thing=str(path))
    return found


def _rows(path: Path) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Id, text and content of each row of a file.

    Raises:
        PermanentError: the file is no text, or a line is no row.
    """
    # `splitlines` would also cut at form feeds and other marks, which JSON strings may hold as they are.
    for number, line in enumerate(filter(str.strip, _text(path).split("\n")), start=1):
        try:
            one = json.loads(line)
            name = str(one["_id"] if "_id" in one else one["id"])
            text = one["text"] if "text" in one else one["code"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PermanentError(f"line {number} has no id and text", thing=str(path)) from error
        yield name, text, one


def _text(path: Path) -> str:
    """What a file says, without the mark of its encoding that some editors put first.

    Raises:
        PermanentError: it is no text.
    """
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PermanentError(f"is not UTF-8 at byte {error.start}", thing=str(path)) from error


def _first(*paths: Path) -> Path:
    for path in paths:
        if path.is_file():
            return path
    raise PermanentError("there is no such file", thing=" or ".join(map(str, paths)))
