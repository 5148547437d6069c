"""Downloads that resume, are checked against a checksum, and say how far they are."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import ssl
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

import httpx

from touchstone_local.errors import LocalError
from touchstone_local.settings import setting

ATTEMPTS = 5


@dataclass(frozen=True)
class Wanted:
    """One file to fetch.

    Attributes:
        url: Where it is.
        target: Where it goes.
        sha256: Its checksum, lower-case hexadecimal; empty accepts any content.
        size_bytes: Its size where known, else 0.
    """

    url: str
    target: Path
    sha256: str = ""
    size_bytes: int = 0


@dataclass
class Progress:
    """Bytes fetched so far of one named download; `report` is called after each change.

    Attributes:
        name: What is being fetched.
        total_bytes: The expected size, 0 when unknown.
        report: Called with this object, from any thread.
    """

    name: str
    total_bytes: int = 0
    report: Callable[[Progress], None] = lambda _progress: None
    done_bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, count: int) -> None:
        """Count bytes; negative where a damaged part is thrown away."""
        with self._lock:
            self.done_bytes += count
        self.report(self)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, lower-case hexadecimal."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def demand_space(folder: Path, size_bytes: int) -> None:
    """Raise a LocalError when the disk of the folder has not room for so many bytes and 256 MiB to spare."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < size_bytes + (256 << 20):
        raise LocalError(
            f"{human(size_bytes)} are needed and {human(free)} are free",
            thing=str(folder),
            way_out="free some space, or point TOUCHSTONE_STATE and TOUCHSTONE_CACHE at a larger disk",
        )


def human(size_bytes: float) -> str:
    """A size for people, for example `57.6 MB`."""
    for unit in ("B", "kB", "MB"):
        if abs(size_bytes) < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.2f} GB"


def client() -> httpx.Client:
    """An HTTP client that trusts the system's certificates, the bundled ones, and what the settings name."""
    context = httpx.create_ssl_context()
    context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT"):
        bundle = setting(name)
        if bundle and Path(bundle).is_file():
            context.load_verify_locations(cafile=bundle)
    return httpx.Client(
        verify=context, follow_redirects=True, timeout=httpx.Timeout(60.0, connect=20.0), limits=httpx.Limits()
    )


def fetch(wanted: Wanted, http: httpx.Client, progress: Progress, *, pause_s: float = 0.5) -> Path:
    """Fetch one file unless it is there already; resume what an earlier attempt left.

    Args:
        wanted: The file.
        http: Client to fetch with.
        progress: Counts the bytes, those already there included.
        pause_s: First pause between attempts; doubles each time.

    Returns:
        The target.

    Raises:
        LocalError: the file cannot be had, or its checksum is not the expected one.
    """
    if _is_there(wanted, progress):
        return wanted.target
    part = wanted.target.with_name(wanted.target.name + ".part")
    try:
        wanted.target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(part):
            # Whoever held it before may have brought the file.
            if _is_there(wanted, progress):
                part.unlink()
                return wanted.target
            try:
                return _fetch(wanted, http, part, progress, pause_s)
            except (LocalError, OSError):
                if not part.stat().st_size:
                    part.unlink()
                raise
    except OSError as error:
        raise LocalError(
            error.strerror or str(error), thing=str(part), way_out="free some space and run the command again"
        ) from error


def _is_there(wanted: Wanted, progress: Progress) -> bool:
    there = wanted.target.is_file() and (not wanted.sha256 or sha256_of(wanted.target) == wanted.sha256)
    if there:
        progress.add(wanted.target.stat().st_size)
    return there


@contextmanager
def _alone(part: Path) -> Generator[None]:
    """Hold a part file, so that of all who fetch the same file into a shared folder one writes; the others wait."""
    while True:
        with part.open("ab") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            if _is_still(part, stream):
                yield
                return


def _is_still(part: Path, stream: IO[bytes]) -> bool:
    """Whether it did not become the whole file, or was thrown away, while we waited."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), part.stat())
    except FileNotFoundError:
        return False


def _fetch(wanted: Wanted, http: httpx.Client, part: Path, progress: Progress, pause_s: float) -> Path:
    """Fill the part file that we hold, and make it the whole one; `fetch` says what is raised."""
    counted = part.stat().st_size
    progress.add(counted)
    problem = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(pause_s * 2 ** (attempt - 1))
        try:
            counted = _stream(wanted, http, part, progress, counted)
        except (httpx.HTTPError, ssl.SSLError) as error:
            problem = f"{type(error).__name__}: {error}"
            if isinstance(error, httpx.HTTPStatusError) and error.response.status_code in (401, 403, 404, 410):
                break
            counted = part.stat().st_size
            continue
        if not wanted.sha256 or sha256_of(part) == wanted.sha256:
            part.replace(wanted.target)
            return wanted.target
        problem = f"the content does not have the expected sha256 {wanted.sha256}"
        # The same file goes on: it is the one that we hold.
        os.truncate(part, 0)
        progress.add(-counted)
        counted = 0
    raise LocalError(
        f"download failed ({problem})",
        thing=wanted.url,
        way_out="check the network and run the command again; what is complete is kept",
    )


def _stream(wanted: Wanted, http: httpx.Client, part: Path, progress: Progress, counted: int) -> int:
    """Append the missing rest to the part file; return its size."""
    headers = {"Range": f"bytes={counted}-"} if counted else {}
    headers["Accept-Encoding"] = "identity"
    with http.stream("GET", wanted.url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return counted
        response.raise_for_status()
        if counted and response.status_code != httpx.codes.PARTIAL_CONTENT:
            progress.add(-counted)
            counted = 0
        with part.open("ab" if counted else "wb") as sink:
            # Unbuffered, so that all that came is kept when the connection breaks.
            for chunk in response.iter_raw():
                sink.write(chunk)
                counted += len(chunk)
                progress.add(len(chunk))
    return counted


def fetch_all(wanted: Iterable[Wanted], progress: Progress, *, parallel: int = 8) -> list[Path]:
    """Fetch several files at a time; the first failure stops the rest.

    Raises:
        LocalError: one of the files cannot be had.
    """
    files = list(wanted)
    with client() as http, ThreadPoolExecutor(parallel) as pool:
        futures = [pool.submit(fetch, item, http, progress) for item in files]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise
