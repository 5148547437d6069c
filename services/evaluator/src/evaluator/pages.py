"""HTTP in: the report's pages."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from evaluator.adapters.report import BASE, HEADERS, ReportPages
from evaluator.errors import UnknownRunError
from evaluator.ports import Store
from evaluator.usecases.runs import get_leaderboard, get_run, get_task_records
from evaluator.usecases.tasks import get_retractions


def report_routes(store: Store) -> list[BaseRoute]:
    """The routes of the report."""
    pages = ReportPages()

    async def home(_request: Request) -> Response:
        return RedirectResponse(BASE)

    async def board(_request: Request) -> Response:
        rows, retractions = await get_leaderboard(store), await get_retractions(store)
        return _html(pages.leaderboard(rows, await store.counts(), retractions))

    async def tasks(_request: Request) -> Response:
        return _html(pages.tasks(await get_task_records(store)))

    async def run(request: Request) -> Response:
        try:
            return _html(pages.run(await get_run(store, request.path_params["run_id"])))
        except UnknownRunError as error:
            return _html(pages.missing(str(error)), 404)

    async def attempt(request: Request) -> Response:
        try:
            found = await get_run(store, request.path_params["run_id"])
        except UnknownRunError as error:
            return _html(pages.missing(str(error)), 404)
        task_id = request.path_params["task_id"]
        one = next((attempt for attempt in found.attempts if attempt.task.task_id == task_id), None)
        if one is None:
            return _html(pages.missing(f"{task_id}: the run has no such task"), 404)
        return _html(pages.attempt(found, one))

    return [
        Route("/", home),
        Route(BASE, board),
        Route(f"{BASE}/tasks", tasks),
        Route(f"{BASE}/runs/{{run_id}}", run),
        Route(f"{BASE}/runs/{{run_id}}/tasks/{{task_id}}", attempt),
    ]


def _html(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, HEADERS)
