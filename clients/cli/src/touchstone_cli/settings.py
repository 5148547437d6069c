"""Where the services are; the only reader of the environment in this package."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from touchstone_local.platform import Platform
    from touchstone_local.settings import Folders
    from touchstone_runtime.dialling import Identity
    from touchstone_runtime.kafka_access import KafkaAccess

DEFAULT_PORTS = {
    "ingester": 7101,
    "embedder": 7102,
    "retriever": 7103,
    "annotator": 7104,
    "sandbox-executor": 7105,
    "pbt-generator": 7106,
    "evaluator": 7107,
    "web": 7108,
}
# Of the pages; the port above is that of health probes.
DEFAULT_WEB_PORT = 8108


def state_folders() -> Folders:
    """The folders of this machine's platform.

    Raises:
        CliError: there is neither a checkout nor a setting.
    """
    from touchstone_cli.errors import CliError
    from touchstone_local.settings import folders

    try:
        return folders()
    except FileNotFoundError as error:
        raise CliError(f"{error}, or run the command inside a checkout") from error


def local_platform() -> Platform | None:
    """Addresses of the platform of this machine, when one was started."""
    from touchstone_cli.errors import CliError
    from touchstone_local import platform

    try:
        return platform.read(state_folders())
    except CliError:
        return None


def address_of(service: str) -> str:
    """gRPC address of a service: `TOUCHSTONE_<SERVICE>_ADDRESS`, this machine's platform, or the default port."""
    key = service.removesuffix("-executor").upper().replace("-", "_")
    configured = os.environ.get(f"TOUCHSTONE_{key}_ADDRESS", "")
    if configured:
        return configured
    platform = local_platform()
    if platform is not None and service in platform.services:
        return platform.services[service].grpc
    return f"127.0.0.1:{DEFAULT_PORTS[service]}"


def named_address(service: str) -> str:
    """gRPC address that `TOUCHSTONE_<SERVICE>_ADDRESS` names, or nothing."""
    key = service.removesuffix("-executor").upper().replace("-", "_")
    return os.environ.get(f"TOUCHSTONE_{key}_ADDRESS", "")


def web_url() -> str:
    """Where the pages are: `TOUCHSTONE_WEB_URL`, this machine's platform, or the default port."""
    configured = os.environ.get("TOUCHSTONE_WEB_URL", "")
    platform = local_platform()
    local = platform.services.get("web") if platform is not None else None
    return (configured or (f"http://{local.http}" if local else f"http://127.0.0.1:{DEFAULT_WEB_PORT}")).rstrip("/")


def has_screen() -> bool:
    """Whether a browser that is started could be seen: there is a display, or `BROWSER` names a program."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def kafka_access() -> KafkaAccess:
    """The broker as `TOUCHSTONE_KAFKA_*` name it for services, too; else this machine's, or that of the default port.

    Raises:
        CliError: a setting has a value that it cannot have.
    """
    from touchstone_cli.errors import CliError
    from touchstone_runtime.errors import PreconditionError
    from touchstone_runtime.settings import KafkaSettings

    try:
        named = KafkaSettings().kafka()
    except PreconditionError as error:
        raise CliError(str(error)) from error
    platform = local_platform()
    if os.environ.get("TOUCHSTONE_KAFKA_BOOTSTRAP", "") or platform is None or not platform.kafka:
        return named
    return dataclasses.replace(named, bootstrap=platform.kafka)


def checkout_file(name: str) -> Path:
    """A file that lies at the top of the checkout.

    Raises:
        CliError: there is no checkout around, or it has no such file.
    """
    from touchstone_cli.errors import CliError
    from touchstone_local.settings import checkout

    try:
        path = checkout() / name
    except FileNotFoundError as error:
        raise CliError(f"{name}: {error}") from error
    if not path.is_file():
        raise CliError(f"{path}: no such file; name another one with an option, see --help")
    return path


def offline_environment() -> dict[str, str]:
    """Environment for a service's offline command: ours, with the programs that came with packages on the path."""
    from touchstone_local.programs import search_path

    return dict(os.environ) | {"PATH": search_path(os.environ.get("PATH", ""))}


def blob_url() -> str:
    """The blob store: `TOUCHSTONE_BLOB_URL`, or this machine's."""
    return os.environ.get("TOUCHSTONE_BLOB_URL", "") or f"file://{state_folders().state / 'blobs'}"


def tokens_file() -> Path:
    """The tokens that this platform takes: `TOUCHSTONE_TOKENS_FILE`, or this machine's."""
    from touchstone_local.access import tokens_file as local

    named = os.environ.get("TOUCHSTONE_TOKENS_FILE", "")
    return Path(named) if named else local(state_folders())


def named_token_file() -> str:
    """The file that `TOUCHSTONE_TOKEN_FILE` names, or nothing."""
    return os.environ.get("TOUCHSTONE_TOKEN_FILE", "")


def identity() -> Identity:
    """What we show to services and trust of them.

    The token is that of `TOUCHSTONE_TOKEN`, of the file `TOUCHSTONE_TOKEN_FILE`, or this machine's; `TOUCHSTONE_TLS_CA`
    names the authority where services speak TLS.

    Raises:
        CliError: the certificates cannot be read.
    """
    from touchstone_cli.errors import CliError
    from touchstone_local.access import token_file as local
    from touchstone_runtime.dialling import Identity
    from touchstone_runtime.errors import PreconditionError

    named = named_token_file()
    try:
        file = Path(named) if named else local(state_folders())
    except CliError:
        file = None
    authority = os.environ.get("TOUCHSTONE_TLS_CA", "")
    try:
        return Identity.of(os.environ.get("TOUCHSTONE_TOKEN", ""), file, authority)
    except PreconditionError as error:
        raise CliError(str(error)) from error


def export_addresses() -> None:
    """Put this machine's addresses and token into our own environment, for commands and programs that read them."""
    shown = identity()
    if shown.token_file is not None and shown.token_file.is_file():
        os.environ.setdefault("TOUCHSTONE_TOKEN_FILE", str(shown.token_file))
    platform = local_platform()
    if platform is None:
        return
    if platform.kafka:
        os.environ.setdefault("TOUCHSTONE_KAFKA_BOOTSTRAP", platform.kafka)
    for service, listening in platform.services.items():
        key = service.removesuffix("-executor").upper().replace("-", "_")
        os.environ.setdefault(f"TOUCHSTONE_{key}_ADDRESS", listening.grpc)


def wants_traceback() -> bool:
    """Whether `TOUCHSTONE_TRACEBACK` asks for the traceback of a defect of ours."""
    return bool(os.environ.get("TOUCHSTONE_TRACEBACK", ""))


def completion_request() -> tuple[list[str], int] | None:
    """Words and position that a shell asks to complete, as the lines of `touchstone completion` do; else None."""
    if not os.environ.get("_TOUCHSTONE_COMPLETE", ""):
        return None
    position = os.environ.get("COMP_CWORD", "")
    return os.environ.get("COMP_WORDS", "").split(), int(position) if position.isdigit() else 1
