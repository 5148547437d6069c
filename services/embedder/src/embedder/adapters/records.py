"""Functions as events carry them, and as the embedder sees them."""

from __future__ import annotations

from embedder.domain.units import CodeUnit
from touchstone_contracts.events import Function


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


def function_of(unit: CodeUnit) -> Function:
    """The function as it came."""
    return Function.model_validate_json(unit.record)
