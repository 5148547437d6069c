"""Functions as events carry them, and as the embedder sees them."""

from __future__ import annotations

from pydantic import ValidationError

from embedder.domain.units import CodeUnit
from touchstone_contracts.events import Function
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.forms import MADE_FORMS


def unit_of(function: Function) -> CodeUnit:
    """The embedder's view of a function; the whole of it travels along as its record."""
    return CodeUnit(
        function_id=function.function_id,
        source_version_id=function.source.source_version_id,
        language=function.language,
        path=function.path,
        qualname=function.qualname,
        form=function.form,
        code=function.code,
        docstring=function.docstring,
        enclosing_class=function.enclosing_class,
        record=function.model_dump_json(),
    )


def unit_of_record(record: str) -> CodeUnit:
    """The same from a function's JSON.

    Raises:
        PermanentError: it is no function, or one that nobody searches.
    """
    try:
        function = Function.model_validate_json(record)
    except ValidationError as error:
        raise PermanentError(f"is no function: {error.errors()[0]['msg']}", thing=record[:80]) from error
    if function.form in MADE_FORMS:
        raise PermanentError(f"a {function.form} is not searched, and so not embedded", thing=function.function_id)
    return unit_of(function)


def function_of(unit: CodeUnit) -> Function:
    """The function as it came."""
    return Function.model_validate_json(unit.record)
