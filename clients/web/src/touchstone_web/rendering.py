"""Templates, and the words and numbers in them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from touchstone_runtime.bands import band_of
from touchstone_runtime.costs import cost_is_unknown, is_submitted, usd_in_words
from touchstone_runtime.counts import counted as count
from touchstone_runtime.counts import unjudged_words
from touchstone_runtime.shares import percent, points
from touchstone_runtime.wordings import IN_WORDS, wording_named
from touchstone_values import call_written, written

# Controls (C0 but for what ends lines and tabs, C1), what turns the order of letters around, and ends of lines that are
# none of code's: a reader would see another program than the one that runs.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STATIC = Path(__file__).parent / "static"
# Letters of a value that are shown.
_LONGEST = 4000
# Answers of models and foreign code are shown on these pages: nothing of them may run or load anything.
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
# Of events that come one by one: nobody between keeps them, or gathers them and hands all over at the end.
EVENT_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def words(name: str) -> str:
    """A name of the contracts for people.

    Example:
        >>> words("wrong_output")
        'wrong output'
    """
    return name.replace("_", " ")


def usd(model: str, cost_usd: float, tokens: int, unpriced: int = 0) -> str:
    """US dollars; "unknown" where nobody named the model's price, or that beside what is known."""
    return usd_in_words(cost_usd, unknown=cost_is_unknown(model, cost_usd, tokens, unpriced))


def tokens(strategy: str, count: int) -> str:
    """How many tokens; "unknown" of answers that somebody else sampled."""
    return "unknown" if is_submitted(strategy) else f"{count:,}"


def told(wording: str) -> str:
    """How a task is told, for people.

    Example:
        >>> told("described"), told("")
        ('described', 'told by example')
    """
    return IN_WORDS[wording_named(wording)]


def month_number(month: str) -> int:
    """Months since the year 0 of a month, YYYY-MM: as far apart as they are.

    Example:
        >>> month_number("2026-01") - month_number("2024-11")
        14
    """
    year, _, of_year = month.partition("-")
    return 12 * int(year) + int(of_year)


def data(value: object) -> str:
    """A value of JSON as text; whoever shows it escapes it once, and not as a part of a script.

    Example:
        >>> data({"answer": "it's"})
        '{\\n "answer": "it\'s"\\n}'
    """
    return json.dumps(value, indent=1, ensure_ascii=False)


def shown_case(entry_point: str, text: str) -> dict[str, str]:
    """A case of a suite for people.

    Args:
        entry_point: The function.
        text: As the generator tells it: arguments and expected value, each JSON in the portable form.

    Returns:
        `call` and `expected`, cut where they are long.

    Example:
        >>> shown_case("f", '{"arguments": "[1]", "expected": "[]"}')
        {'call': 'f(1)', 'expected': '[]'}
    """
    try:
        case = json.loads(text)
        shown = {
            "call": call_written(entry_point, json.loads(case["arguments"])),
            "expected": written(json.loads(case["expected"])),
        }
    except (ValueError, KeyError, TypeError):
        shown = {"call": text, "expected": ""}
    return {name: value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…" for name, value in shown.items()}


def marked(page: str) -> str:
    """The text of a page with a visible mark for each letter that would be obeyed and not seen.

    Example:
        >>> marked("level != 'user\\u202e'")
        "level != 'user[U+202E]'"
    """
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", page)


@cache
def asset(name: str) -> str:
    """Address of a static file; changes with its content, so that browsers may keep it for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def address(request: Request, **changes: object) -> str:
    """The address of this page with some of its parameters changed; None or "" takes one away."""
    kept = dict(request.query_params)
    for name, value in changes.items():
        if value in (None, ""):
            kept.pop(name, None)
        else:
            kept[name] = str(value)
    return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path


class Templates:
    """Renders pages.

    Args:
        navigation: Title and address of each page in the bar at the top.
    """

    def __init__(self, navigation: tuple[tuple[str, str], ...]) -> None:
        self.environment = Environment(
            loader=PackageLoader("touchstone_web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.globals.update(  # pyright: ignore[reportCallIssue]
            navigation=navigation,
            asset=asset,
            percent=percent,
            points=points,
            month_number=month_number,
            dollars=lambda value: usd_in_words(value, unknown=False),
            words=words,
            count=count,
            data=data,
            usd=usd,
            tokens=tokens,
            is_submitted=is_submitted,
            unjudged_words=unjudged_words,
            told=told,
            band_of=band_of,
        )

        self.environment.filters.update(  # pyright: ignore[reportCallIssue]
            pair=lambda value: (value, value),
            scope_option=lambda scope: (scope.digest, f"{scope.name} ({count(scope.tasks, 'task')})"),
            outcome_count=lambda each: (each.outcome, each.count),
        )

    def text(self, template: str, request: Request, /, **values: Any) -> str:
        """The text of a template; `here` and `address` know the page's own address."""
        text = self.environment.get_template(template).render(
            request=request, here=request.url.path, address=lambda **changes: address(request, **changes), **values
        )
        # The whole page: what is foreign on it stands in places that no filter of one would know.
        return marked(text)

    def page(self, template: str, request: Request, /, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page; with the header of htmx only what the template calls its part."""
        return HTMLResponse(self.text(template, request, **values), status, HEADERS)


def page(request: Request, template: str, /, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Answer with a template of this application."""
    templates: Templates = request.app.state.templates
    return templates.page(template, request, status=status, **values)


async def long_page(request: Request, template: str, /, **values: Any) -> HTMLResponse:
    """The same beside the event loop: hundreds of rows take as long as others may not wait."""
    return await asyncio.to_thread(page, request, template, **values)
