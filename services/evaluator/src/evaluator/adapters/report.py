"""The report page: plain HTML that works without scripts; charts are inline SVG."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluator.domain.leaderboard import Row, TaskRecord, row_of
from evaluator.domain.outcomes import class_of
from evaluator.domain.tasks import Attempt, Retraction, Run
from evaluator.ports import Counts

BASE = "/report"
# Answers of models are shown on these pages: nothing of them may run or load anything.
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

_GROUPS = {"SC": "SC (self-contained)", "WSC": "WSC (uses libraries)"}


class ReportPages:
    """Renders the pages."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("evaluator", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )
        self._environment.globals.update(  # pyright: ignore[reportCallIssue]
            base=BASE, percent=_percent, words=_words, group=lambda name: _GROUPS.get(name, name), tag=_tag
        )

    def leaderboard(self, rows: list[Row], counts: Counts, retractions: list[Retraction]) -> str:
        """The front page."""
        page = self._environment.get_template("leaderboard.html")
        return page.render(rows=rows, counts=counts, retractions=retractions)

    def tasks(self, records: list[TaskRecord]) -> str:
        """Every standing task."""
        return self._environment.get_template("tasks.html").render(tasks=records)

    def run(self, run: Run) -> str:
        """One run with its tasks."""
        return self._environment.get_template("run.html").render(run=run, row=row_of(run))

    def attempt(self, run: Run, attempt: Attempt) -> str:
        """One task of one run: what was asked, answered and judged."""
        return self._environment.get_template("attempt.html").render(run=run, attempt=attempt)

    def missing(self, what: str) -> str:
        """There is no such page."""
        return self._environment.get_template("missing.html").render(what=what)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _tag(attempt: Attempt) -> Markup:
    if attempt.retracted:
        return Markup('<span class="tag retracted">retracted</span>')
    if attempt.verdict is None:
        return Markup('<span class="tag pending">pending</span>')
    outcome = attempt.verdict.outcome
    return Markup('<span class="tag {}">{}</span>').format(class_of(outcome).value, _words(outcome.value))
