"""The sandbox for one command: the one that is running, or a private one that ends with the command."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import grpc

from touchstone_cli.errors import CliError
from touchstone_cli.output import say
from touchstone_cli.services import Service, connect
from touchstone_cli.settings import identity, named_address, offline_environment, state_folders
from touchstone_runtime.dialling import dial_blocking

# A process that ends is noticed at once; this is for machines that do much else.
_START_WITHIN_S = 180.0
_ANSWER_WITHIN_S = 2.0


@contextlib.contextmanager
def sandbox() -> Generator[Service]:
    """A connection to the sandbox-executor that `TOUCHSTONE_SANDBOX_ADDRESS` names, else to a private one.

    Raises:
        CliError: a private one does not start.
    """
    with sandbox_address() as address:
        service = connect("sandbox-executor", address)
        try:
            yield service
        finally:
            service.close()


@contextlib.contextmanager
def sandbox_address() -> Generator[str]:
    """Where that sandbox-executor listens.

    Raises:
        CliError: a private one does not start.
    """
    named = named_address("sandbox-executor")
    if named and _answers(named):
        yield named
        return
    if named:
        say(f"The sandbox-executor does not answer at {named}; this command has one of its own.")
    with _private() as address:
        yield address


def _answers(address: str) -> bool:
    """Whether somebody listens there: an address may be left over from a platform that is down."""
    with contextlib.closing(dial_blocking(address, identity())) as channel:
        try:
            grpc.channel_ready_future(channel).result(_ANSWER_WITHIN_S)
        except grpc.FutureTimeoutError:
            return False
    return True


@contextlib.contextmanager
def _private() -> Generator[str]:
    with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
        address = f"unix:{folder}/sandbox.sock"
        words = Path(folder) / "words"
        with words.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=offline_environment() | _folders(folder),
            )
        try:
            _await(process, address, words)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _folders(folder: str) -> dict[str, str]:
    """Where toolchains and prepared environments are kept; outside a checkout only for this command."""
    try:
        where = state_folders()
    except CliError:
        return _state(Path(folder) / "state")
    return _state(where.state) | {"TOUCHSTONE_TOOLCHAINS_DIR": str(where.cache)}


def _state(folder: Path) -> dict[str, str]:
    """State lies here, the store of datasets with it, wherever the command was given."""
    datasets = (folder / "blobs" / "datasets").absolute()
    return {"TOUCHSTONE_STATE_DIR": str(folder), "TOUCHSTONE_SANDBOX_DATASETS_URL": f"file://{datasets}"}


def _await(process: subprocess.Popen[bytes], address: str, words: Path) -> None:
    deadline = time.monotonic() + _START_WITHIN_S
    path = Path(address.removeprefix("unix:"))
    while not path.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            said = words.read_text(errors="replace").strip().splitlines()
            raise CliError(f"the sandbox does not start: {said[-1] if said else 'no words'}")
        time.sleep(0.01)
