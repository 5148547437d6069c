"""Tokens of one machine's platform: one for who owns the machine's account, one for the services among themselves."""

from __future__ import annotations

from pathlib import Path

from touchstone_local.settings import Folders
from touchstone_runtime.tokens import TokenFile, ensure_token


def tokens_file(folders: Folders) -> Path:
    """What is kept of every token."""
    return folders.state / "tokens.json"


def token_file(folders: Folders) -> Path:
    """The token that commands show."""
    return folders.state / "token"


def service_token_file(folders: Folders) -> Path:
    """The token that services show to one another."""
    return folders.state / "service.token"


def ensure(folders: Folders) -> None:
    """Make both tokens, in files of mode 0600, unless they are there."""
    tokens = TokenFile(tokens_file(folders))
    ensure_token(tokens, token_file(folders), "this machine", "operate")
    ensure_token(tokens, service_token_file(folders), "services", "serve")


def shown_by(service: str, folders: Folders) -> Path:
    """The token of one process: pages start runs for visitors who may, services only look, run code and label."""
    return token_file(folders) if service == "web" else service_token_file(folders)
