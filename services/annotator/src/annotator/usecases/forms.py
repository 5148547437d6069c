"""The forms that the agents fill in.

Small models get through only when the forms are short: few fields, no titles, the reason before the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from annotator.domain.record import Label
from annotator.domain.wordless import Wordless

_VERDICTS = {
    "1": "match",
    "yes": "match",
    "true": "match",
    "clear match": "match",
    "clearly match": "match",
    "0": "no_match",
    "no": "no_match",
    "false": "no_match",
    "no match": "no_match",
    "non-match": "no_match",
    "mismatch": "no_match",
    "clear non-match": "no_match",
    "0.5": "unclear",
    "unsure": "unclear",
    "maybe": "unclear",
}


def _verdict(value: object) -> object:
    text = str(value).strip().lower()
    return _VERDICTS.get(text, text)


def _label(value: object) -> object:
    return {"match": 1, "no_match": 0}.get(str(_verdict(value)), value)


def _lines(value: object) -> object:
    # Models like to give code as a list of lines.
    return "\n".join(map(str, cast("list[object]", value))) if isinstance(value, list) else value


Verdict = Annotated[Literal["match", "no_match", "unclear"], BeforeValidator(_verdict)]
GivenLabel = Annotated[Label, BeforeValidator(_label)]
Code = Annotated[str, BeforeValidator(_lines)]


class Form(BaseModel):
    """An answer's form; its schema is shown to models without the words that only people need."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The JSON Schema, without titles and descriptions."""
        return _bare(super().model_json_schema(*args, **kwargs))


def _bare(schema: object) -> Any:
    if isinstance(schema, list):
        return [_bare(item) for item in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast("dict[str, object]", schema)
    bare = {key: _bare(value) for key, value in found.items() if key not in {"title", "description", "default"}}
    if isinstance(properties := found.get("properties"), dict):
        # A field may well be called "title".
        bare["properties"] = {name: _bare(field) for name, field in cast("dict[str, object]", properties).items()}
    return bare


class Screening(Form):
    """The screener's answer."""

    reason: str
    verdict: Verdict


class Decision(Form):
    """A label with its reason: the single model's, the arbiter's, the checker's."""

    reason: str
    label: GivenLabel


class Interpretations(Form):
    """Readings of an ambiguous query."""

    interpretations: list[str] = Field(min_length=1)


class ProposedCase(Form):
    """One call and one expectation: exactly one of `expected`, `check` and `raises` counts, in this order."""

    args: Any
    expected: Any = None
    check: str = ""
    raises: str = ""

    @model_validator(mode="before")
    @classmethod
    def _with_arguments(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        fields = cast("dict[str, object]", data)
        # One argument is often given bare.
        if "args" in fields and not isinstance(fields["args"], list | dict):
            return {**fields, "args": [fields["args"]]}
        return fields


def revealed(cases: Sequence[ProposedCase], shown: Wordless) -> list[ProposedCase]:
    """Cases for a code that was shown without words, with its author's names and texts again."""
    return [
        ProposedCase.model_validate({name: shown.revealed(getattr(case, name)) for name in case.model_fields_set})
        for case in cases
    ]


class ProposedCases(Form):
    """The generator's answer where the code is a plain function."""

    interpretation: str
    setup: Code = ""
    cases: list[ProposedCase]


class ProposedProgram(Form):
    """The generator's answer where it is not."""

    interpretation: str
    setup: Code = ""
    tests: Code = Field(min_length=1)


class RepairedCases(Form):
    """The fixer's answer for cases."""

    install: list[str] = Field(default_factory=list)
    setup: Code = ""
    cases: list[ProposedCase] = Field(default_factory=list[ProposedCase])


class RepairedProgram(Form):
    """The fixer's answer for a program."""

    install: list[str] = Field(default_factory=list)
    setup: Code = ""
    tests: Code = ""


class TerminalCommand(Form):
    """The fixer's answer at a terminal: one line of `sh`; empty where it has nothing left to try."""

    reason: str = ""
    command: str = ""


class Prediction(Form):
    """The simulated executor's answer."""

    report: str
    outcome: Literal["passed", "failed", "error"]
