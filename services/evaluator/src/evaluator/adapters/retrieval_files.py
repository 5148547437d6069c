"""Query sets in BEIR form and runs in TREC form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchstone_runtime.errors import PermanentError


@dataclass(frozen=True)
class QuerySet:
    """Codes, queries and labels by id; a label above 0 means that the code answers the query.

    Attributes:
        judged: For each query the codes that have a label, whatever it says.
        undecided: For each query the codes about which nobody could tell.
    """

    codes: dict[str, str]
    queries: dict[str, str]
    labels: dict[str, frozenset[str]]
    judged: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    undecided: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def read_beir(folder: Path, split: str) -> QuerySet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`.

    The flat names `queries_<split>.jsonl` and `qrels_<split>.tsv` are taken as well. `undecided.tsv`, which releases of
    labels have, names pairs about which nobody could tell.

    Raises:
        PermanentError: a file is missing, or a line is not of the form.
    """
    qrels = _first(folder / "qrels" / f"{split}.tsv", folder / f"qrels_{split}.tsv")
    queries = _first(folder / f"queries_{split}.jsonl", folder / "queries.jsonl")
    labels: dict[str, set[str]] = {}
    judged: dict[str, set[str]] = {}
    for number, line in enumerate(qrels.read_text("utf-8").splitlines(), start=1):
        parts = line.split("\t")
        if number == 1 and not parts[-1].strip().lstrip("-").isdigit():
            continue
        if len(parts) != 3 or not parts[2].strip().lstrip("-").isdigit():
            raise PermanentError(f"line {number} is not query, code and label", thing=str(qrels))
        judged.setdefault(parts[0], set()).add(parts[1])
        if int(parts[2]) > 0:
            labels.setdefault(parts[0], set()).add(parts[1])
    return QuerySet(
        _texts(_first(folder / "corpus.jsonl")),
        _texts(queries),
        _frozen(labels),
        _frozen(judged),
        _frozen(_undecided(folder / "undecided.tsv")),
    )


def _frozen(sets: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {query: frozenset(codes) for query, codes in sets.items()}


def _undecided(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines() if path.is_file() else (), start=1):
        parts = line.split("\t")
        if len(parts) != 2:
            raise PermanentError(f"line {number} is not query and code", thing=str(path))
        if number > 1:
            found.setdefault(parts[0], set()).add(parts[1])
    return found


def languages_of(folder: Path) -> dict[str, str]:
    """The language of each code of a corpus that names one."""
    found: dict[str, str] = {}
    for line in _first(folder / "corpus.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        if one.get("language"):
            found[str(one["_id"] if "_id" in one else one["id"])] = str(one["language"])
    return found


def read_run(path: Path) -> dict[str, list[str]]:
    """Read a TREC run: rankings by query, best first; equal scores by id from the end, as trec_eval has it.

    Raises:
        PermanentError: the file is missing, or a line is not `query Q0 code rank score tag`.
    """
    scored: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_first(path).read_text("utf-8").splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        try:
            query, _, code, _rank, score, *_tag = parts
            scored.setdefault(query, {}).setdefault(code, float(score))
        except ValueError as error:
            raise PermanentError(f"line {number} is not `query Q0 code rank score tag`", thing=str(path)) from error
    return {query: ranked(scores) for query, scores in scored.items()}


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Codes by score, best first; equal scores by id from the end."""
    return [code for code, _score in sorted(scores.items(), key=lambda one: (one[1], one[0]), reverse=True)]


def run_lines(scores: Mapping[str, Mapping[str, float]], tag: str) -> Iterator[str]:
    """The lines of a TREC run."""
    for query, of_codes in scores.items():
        for rank, code in enumerate(ranked(of_codes), start=1):
            yield f"{query} Q0 {code} {rank} {of_codes[code]:.9g} {tag}"


def _texts(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            one = json.loads(line)
            name = str(one["_id"] if "_id" in one else one["id"])
            text = one["text"] if "text" in one else one["code"]
        except (ValueError, KeyError, TypeError) as error:
            raise PermanentError(f"line {number} has no id and text", thing=str(path)) from error
        found[name] = f"{one['title']}\n{text}" if one.get("title") else str(text)
    return found


def _first(*paths: Path) -> Path:
    for path in paths:
        if path.is_file():
            return path
    raise PermanentError("there is no such file", thing=" or ".join(map(str, paths)))


def chunks(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    """Texts in portions."""
    for start in range(0, len(texts), size):
        yield list(texts[start : start + size])
