"""From what a model proposed to cases that can be run."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.checks import undefined_names
from annotator.domain.program import MAX_CASES, Case, is_arguments, is_expression, portable
from annotator.domain.raised import short_name
from annotator.usecases.forms import ProposedCase
from touchstone_values import ValueFormError

_MAX_TEXT = 20_000
# Names of Python's modules for exceptions that have names of their own.
_ALSO = {"socket.error": "OSError", "select.error": "OSError", "os.error": "OSError", "socket.timeout": "TimeoutError"}


def accept(proposed: Sequence[ProposedCase]) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Keep the cases that say what to call and what to expect, without repetitions.

    Returns:
        The cases, and for each that was dropped the reason.
    """
    kept: dict[tuple[str, str], Case] = {}
    dropped: list[str] = []
    for index, case in enumerate(proposed):
        if len(kept) == MAX_CASES:
            dropped.append(f"case {index}: more than {MAX_CASES} cases")
            break
        try:
            ready = _case(case)
        except (ValueFormError, ValueError) as error:
            dropped.append(f"case {index}: {error}")
            continue
        if any(
            other.arguments == ready.arguments
            and other.expected != ready.expected
            and other.kind == ready.kind == "value"
            for other in kept.values()
        ):
            dropped.append(f"case {index}: another case expects something else of the same call")
            continue
        kept.setdefault((ready.arguments, ready.kind + ready.expected), ready)
    return tuple(kept.values()), tuple(dropped)


def _case(case: ProposedCase) -> Case:
    arguments = portable(case.args)
    if not is_arguments(arguments):
        raise ValueError("its arguments are one value, not a list of arguments")
    if "expected" in case.model_fields_set and not (case.expected is None and (case.check or case.raises)):
        ready = Case(arguments, "value", portable(case.expected))
    elif case.check:
        if not is_expression(case.check):
            raise ValueError(f"its check is no expression over `result`: {case.check[:80]}")
        if names := undefined_names(case.check):
            raise ValueError(f"its check names what nothing defines: {', '.join(names)}")
        ready = Case(arguments, "check", case.check.strip())
    elif case.raises:
        ready = Case(arguments, "raises", _exception(case.raises.strip()))
    else:
        raise ValueError("it expects nothing")
    if len(ready.arguments) + len(ready.expected) > _MAX_TEXT:
        raise ValueError(f"it is longer than {_MAX_TEXT} characters")
    return ready


def _exception(said: str) -> str:
    name = short_name(_ALSO.get(said, said))
    if not name.isidentifier():
        raise ValueError(f"it names no one exception: {said[:80]}")
    return name
