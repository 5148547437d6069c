"""What every figure means."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from touchstone_web.rendering import page

router = APIRouter()


@router.get("/method")
async def method(request: Request) -> Response:
    """The page on method."""
    return page(request, "method.html")
