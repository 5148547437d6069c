"""Answers that somebody else sampled, as files of other tools have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from touchstone_cli.answers_asked import Asked, asked_by_ending, asked_in_log, asked_in_row
from touchstone_cli.errors import CliError
from touchstone_runtime.tracks import WRITE

# What the id of a task and the text of one answer, or of several, are called: EvalPlus, LiveCodeBench and our own.
_IDS = ("task_id", "question_id")
_ONE = ("solution", "answer", "code", "text")
_SEVERAL = ("code_list", "solutions", "answers")
# What our own lines say where nothing was judged; `infrastructure` is a fault of the platform or of an endpoint.
_UNANSWERED = frozenset({"pending", "generated", "infrastructure", "retracted"})
# Exported tasks are called so, that they stand beside others' in one file.
PREFIX = "Touchstone/"
# How a Parquet file begins.
_PARQUET = b"PAR1"
# Numbers of answers are 32 bits where they go.
_MOST_SAMPLES = 1 << 31


class Given(NamedTuple):
    """One answer: the id of its task, its number, what was said."""

    task_id: str
    sample: int
    text: str


def read_answers(path: Path, asked: Asked | None = None) -> list[Given]:
    """Read answers from JSON Lines, a JSON list, or a folder `TASK/NUMBER.EXTENSION`.

    An object has `task_id` (or `question_id`) and either `solution`, `answer`, `code` or `text`, or a list in
    `code_list`, `solutions` or `answers`; `sample` numbers it, else answers are numbered as they come. A log of Inspect
    (its JSON form) gives the output of each sample, numbered by its epochs; a run as Parquet its rows.

    Args:
        path: The file or folder.
        asked: In which language and to which track answers are wanted; judged as others, they would all be wrong.

    Raises:
        CliError: There is no answer, one cannot be read, or one says that it answers another question than is asked;
            the line is named.
    """
    try:
        given = list(_of_folder(path, asked) if path.is_dir() else _of_file(path, asked))
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}", exit_code=2) from error
    except UnicodeDecodeError as error:
        raise CliError(f"{path}: not UTF-8 at byte {error.start}", exit_code=2) from error
    if not given:
        raise CliError(f"{path}: holds no answer", exit_code=2)
    return given


def _of_folder(folder: Path, asked: Asked | None) -> Iterator[Given]:
    for task in sorted(each for each in folder.iterdir() if each.is_dir()):
        name = task.name.removeprefix(PREFIX.replace("/", "_"))
        for file in sorted(each for each in task.iterdir() if each.is_file() and each.stem.isdecimal()):
            _demand(asked, asked_by_ending(file.suffix), str(file))
            yield _sound(Given(name, int(file.stem), file.read_text("utf-8-sig")), str(file))


def _of_file(path: Path, asked: Asked | None) -> Iterator[Given]:
    counts: dict[str, int] = {}
    for place, value in _objects(path):
        if str(value.get("outcome")) in _UNANSWERED and not value.get("solution"):
            # Of a run that is not finished: nobody answered yet, and an empty answer would be a wrong one.
            continue
        task_id = next((value[name] for name in _IDS if isinstance(value.get(name), str)), "").removeprefix(PREFIX)
        if not task_id:
            raise CliError(f"{path}, {place}: no task is named by {' or '.join(_IDS)}", exit_code=2)
        _demand(asked, asked_in_row(value), f"{path}, {place}")
        texts = _texts(value, f"{path}, {place}")
        for text, unanswered in zip(texts, _unanswered(value, texts), strict=True):
            number = value.get("sample")
            if type(number) is not int:
                number = counts.get(task_id, 0)
            counts[task_id] = number + 1
            if unanswered:
                continue
            yield _sound(Given(task_id, number, text), f"{path}, {place}")


def _demand(asked: Asked | None, said: Asked, place: str) -> None:
    """Refuse an answer to another question than is asked."""
    if asked is not None and (otherwise := asked.otherwise(said)):
        raise CliError(f"{place}: {otherwise}", exit_code=2)


def _sound(given: Given, place: str) -> Given:
    """The answer, if it can be sent: numbers have a bound, and half a surrogate pair is no text."""
    if not 0 <= given.sample < _MOST_SAMPLES:
        raise CliError(f"{place}: no number of a sample: {str(given.sample)[:40]}", exit_code=2)
    for name, text in (("task", given.task_id), ("answer", given.text)):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            reason = f"the {name} holds half a surrogate pair at character {error.start}, which is no text"
            raise CliError(f"{place}: {reason}", exit_code=2) from error
    return given


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        if _is_parquet(path):
            # Loading the library takes long, and no other format needs it.
            from touchstone_cli.run_parquet import read_run

            summary, read = read_run(path)
            track = {"track": summary.get("spec", {}).get("track") or WRITE}
            yield from ((f"row {number}", row | track) for number, row in enumerate(read, 1))
            return
    except ValueError as error:
        raise CliError(f"{path}: {error}", exit_code=2) from error
    text = path.read_text("utf-8-sig")
    try:
        if (samples := _logged(text)) is not None:
            rows = [(f"sample {number}", value) for number, value in enumerate(samples, 1)]
        elif text.lstrip().startswith("["):
            rows = [(f"object {number}", value) for number, value in enumerate(json.loads(text), 1)]
        else:
            lines = enumerate(text.split("\n"), 1)
            rows = [(f"line {number}", _parsed(line, number)) for number, line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        raise CliError(f"{path}: not JSON: {error}", exit_code=2) from error
    for place, value in rows:
        if not isinstance(value, dict):
            raise CliError(f"{path}, {place}: not an object", exit_code=2)
        yield place, cast("dict[str, Any]", value)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_PARQUET)) == _PARQUET


def _logged(text: str) -> list[dict[str, Any]] | None:
    """The samples of an Inspect log as answers, its epochs counted from 0; None where a text is no such log.

    Raises:
        ValueError: A sample has no id or no output.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        log: Any = json.loads(text)
    except ValueError:
        # Lines of JSON, each by itself.
        return None
    if "eval" not in log or not isinstance(log.get("samples"), list):
        return None
    try:
        return [
            {
                "task_id": _named(sample["id"]),
                "sample": int(sample.get("epoch", 1)) - 1,
                "solution": _said(sample["output"]["choices"][0]["message"]["content"]),
                **asked_in_log(log["eval"], sample),
            }
            for sample in log["samples"]
            if not _unsaid(sample)
        ]
    except (KeyError, IndexError) as error:
        raise ValueError(f"a sample of the log lacks {error}") from error
    except (TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"a sample of the log is not laid out as Inspect's are: {error}") from error


def _unsaid(sample: Any) -> bool:
    """Whether a sample ended in an error before the model said anything, such as a refusal for too many requests."""
    return bool(sample.get("error")) and not (sample.get("output") or {}).get("choices")


def _named(name: Any) -> str:
    """The id of a sample, a text or a number there."""
    if type(name) not in (str, int):
        raise TypeError("an id is neither text nor number")
    return str(name)


def _said(content: Any) -> str:
    """What a message says: a text, or the texts among its parts."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _parsed(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def _texts(value: dict[str, Any], place: str) -> list[str]:
    several: object = next((value[name] for name in _SEVERAL if name in value), None)
    if isinstance(several, list):
        texts = cast("list[object]", several)
    else:
        texts = [next((value[name] for name in _ONE if name in value), None)]
    if all(isinstance(text, str) for text in texts):
        return cast("list[str]", texts)
    # A completion goes on from a prompt that is not in the file: joining it wrongly would fail a right answer.
    reason = "a completion is not a whole program: give it as `solution`" if "completion" in value else "no answer"
    raise CliError(f"{place}: {reason} (one of {', '.join(_ONE)})", exit_code=2)


def _unanswered(value: dict[str, Any], texts: Sequence[str]) -> list[bool]:
    """Which of several answers nobody gave: empty ones without a grade, as we write lists for LiveCodeBench."""
    grades: object = value.get("graded_list")
    if not isinstance(grades, list) or len(cast("list[object]", grades)) != len(texts):
        return [False] * len(texts)
    return [not text and grade is None for text, grade in zip(texts, cast("list[object]", grades), strict=True)]
