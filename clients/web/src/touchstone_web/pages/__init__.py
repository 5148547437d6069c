"""Every page: one module a page, one line here.

A module has `router`, a FastAPI router with whole paths, and answers with `rendering.page(request, template, …)`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from touchstone_web.pages import (
    board,
    languages,
    method,
    models,
    releases,
    retrieval,
    review,
    runs,
    search,
    status,
    tasks,
    token,
)


@dataclass(frozen=True)
class Page:
    """One module of pages.

    Attributes:
        title: Its name in the bar at the top; empty: not in the bar.
        path: Where its entry in the bar leads.
        router: Its routes.
    """

    title: str
    path: str
    router: APIRouter


PAGES = (
    Page("Board", "/", board.router),
    Page("Tasks", "/tasks", tasks.router),
    Page("Runs", "/runs", runs.router),
    Page("Search", "/search", search.router),
    Page("Retrieval", "/retrieval", retrieval.router),
    Page("Releases", "/releases", releases.router),
    Page("Review", "/review", review.router),
    Page("", "/models", models.router),
    Page("", "/languages", languages.router),
    Page("Status", "/status", status.router),
    Page("Method", "/method", method.router),
    Page("", "/token", token.router),
)
