"""What a fault of a service is for a visitor."""

from __future__ import annotations

import grpc

_PAGES = {
    grpc.StatusCode.NOT_FOUND: (404, "There is no such thing"),
    grpc.StatusCode.INVALID_ARGUMENT: (400, "This cannot be asked for"),
    grpc.StatusCode.FAILED_PRECONDITION: (409, "This is not possible now"),
    grpc.StatusCode.PERMISSION_DENIED: (403, "This needs a token"),
    grpc.StatusCode.UNAUTHENTICATED: (403, "This needs a token"),
}


def told(error: grpc.aio.AioRpcError) -> tuple[int, str, str]:
    """Status, title and detail of the page that tells of a fault."""
    status, title = _PAGES.get(error.code(), (503, "A service does not answer"))
    return status, title, why(error)


def why(error: grpc.aio.AioRpcError) -> str:
    """Why a service gave no answer; of one that took too long gRPC has only words of its own."""
    words = error.details() or error.code().name
    late = error.code() is grpc.StatusCode.DEADLINE_EXCEEDED and words in ("Deadline Exceeded", "DEADLINE_EXCEEDED")
    return "it took too long; ask again in some seconds" if late else words
