"""`python -m touchstone_web` serves the pages."""

from touchstone_runtime.settings import settings_or_end
from touchstone_web.app import serve
from touchstone_web.settings import WebSettings

if __name__ == "__main__":
    serve(settings_or_end(WebSettings))
