"""`python -m touchstone_web` serves the pages."""

from touchstone_web.app import serve
from touchstone_web.settings import WebSettings

if __name__ == "__main__":
    serve(WebSettings())  # pyright: ignore[reportCallIssue]  every field has a default
