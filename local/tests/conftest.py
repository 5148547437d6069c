"""A small HTTP server whose faults a test can order."""

import http.server
import threading
from dataclasses import dataclass, field

import pytest


@dataclass
class Site:
    """Files by path, and what goes wrong.

    Attributes:
        files: Content by path, with its leading slash.
        cut: So many bytes are sent of an answer, then the connection breaks; each entry is used once.
        statuses: Status codes to answer with instead; each is used once.
        requests: Path and Range header of every request.
    """

    base: str = ""
    files: dict = field(default_factory=dict)
    cut: list = field(default_factory=list)
    statuses: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    ranges: bool = True


@pytest.fixture
def site():
    state = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            wanted = self.headers.get("Range", "")
            state.requests.append((self.path, wanted))
            if state.statuses:
                self.send_error(state.statuses.pop(0))
                return
            if self.path not in state.files:
                self.send_error(404)
                return
            body = state.files[self.path]
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            if start >= len(body) > 0:
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            if self.path.endswith("/"):
                self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
            self.end_headers()
            rest = body[start:]
            if state.cut:
                self.wfile.write(rest[: state.cut.pop(0)])
                self.wfile.flush()
                self.connection.close()
                return
            self.wfile.write(rest)

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    state.base = f"http://127.0.0.1:{server.server_address[1]}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A state folder of the test's own."""
    from touchstone_local import settings

    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("TOUCHSTONE_CACHE", raising=False)
    for name in ("KAFKA_BOOTSTRAP", "DATABASE_URL", "LLM_BASE_URL", "LLM_MODEL", "PORT_BASE", "CHAT_MODEL", "HUB_URL"):
        monkeypatch.delenv(f"TOUCHSTONE_{name}", raising=False)
    return settings.folders().create()
