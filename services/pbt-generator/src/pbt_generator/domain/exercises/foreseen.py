"""Cases whose result, or whose input, a reader of the ground truth can be asked for."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from pbt_generator.domain.exercises.exercise import drawn
from pbt_generator.domain.inputs.portable import is_plain

# Longer ones ask for patience in place of understanding.
_MOST_ARGUMENTS = 300
_MOST_RESULT = 200
_MOST_PROGRAM = 6000
_NEAR_ZERO = 1e-3


def foreseeable(source: str, cases: Sequence[tuple[str, str]], track: str, task_id: str) -> tuple[str, str] | None:
    """The case of a task that is asked for, the same one whenever it is asked for.

    It is short and plain JSON, and its result is none of those that a guess gives: nothing, zero or what is empty, one
    of two truth values, the most frequent result of the suite, or an argument handed back. A number so near zero that
    the comparison takes zero for it is none either. Nor is it one that the program's own words show.

    Args:
        source: The ground truth's program.
        cases: Arguments and results, as portable texts.
        track: The question that is asked of it.
        task_id: Decides which case.

    Returns:
        Arguments and result; None where no case is of this kind.
    """
    if len(source) > _MOST_PROGRAM:
        return None
    frequent = {result for result, _ in Counter(result for _, result in cases).most_common(1)}
    words = _words(source)
    fitting = [
        case
        for case in dict.fromkeys(cases)
        if case[1] not in frequent and _is_askable(*case) and not _stands_in(case, words)
    ]
    return next(iter(drawn(fitting, "\x00".join, track, task_id)), None)


def _words(source: str) -> str:
    """What a program says beside its code: docstrings and comments."""
    texts = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    said = [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join([*said, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


def _stands_in(case: tuple[str, str], words: str) -> bool:
    """Whether words hold each argument of a case and its result, as JSON or as Python writes them."""
    given, value = json.loads(case[0]), json.loads(case[1])
    return all(json.dumps(each) in words or repr(each) in words for each in (*given, value))


def _is_askable(arguments: str, result: str) -> bool:
    if len(arguments) > _MOST_ARGUMENTS or len(result) > _MOST_RESULT:
        return False
    given, value = json.loads(arguments), json.loads(result)
    if not isinstance(given, list) or not (is_plain(cast("list[Any]", given)) and is_plain(value)):
        return False
    return not _is_guessed(value) and all(json.dumps(value) != json.dumps(each) for each in cast("list[Any]", given))


def _is_guessed(value: Any) -> bool:
    return not value or value is True or (isinstance(value, float) and abs(value) < _NEAR_ZERO)
