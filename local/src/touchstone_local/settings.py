"""Where things lie on this machine; the only reader of the environment in this package."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


def checkout() -> Path:
    """The checkout this package is installed from; the one around the working folder where it lies in none.

    Not the other way round: a command belongs to the checkout that it was installed from, and one that is called
    from within another must not stop that one's platform.

    Raises:
        FileNotFoundError: neither lies inside a checkout.
    """
    for start in (Path(__file__).resolve().parent, Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / "requirements.lock").is_file() and (folder / "proto" / "touchstone").is_dir():
                return folder
    raise FileNotFoundError("no checkout of touchstone around the working folder; set TOUCHSTONE_STATE")


@dataclass(frozen=True)
class Folders:
    """The folders that the local platform writes to.

    Attributes:
        state: Data, logs, addresses and process ids of one platform.
        cache: Downloads that several platforms can share.
    """

    state: Path
    cache: Path

    @property
    def logs(self) -> Path:
        """One log file a process."""
        return self.state / "logs"

    @property
    def pids(self) -> Path:
        """One process-id file a process."""
        return self.state / "pids"

    @property
    def models(self) -> Path:
        """Model files, complete and verified; several platforms share them where they share a cache."""
        return (self.state if self.cache.parent == self.state else self.cache) / "models"

    @property
    def converted_models(self) -> Path:
        """Models as this machine's processor runs them."""
        return self.models.parent / "converted"

    @property
    def platform_file(self) -> Path:
        """Addresses and settings of the running platform."""
        return self.state / "platform.json"

    def create(self) -> Folders:
        """Make the folders and return self."""
        for folder in (self.state, self.cache, self.logs, self.pids, self.models):
            folder.mkdir(parents=True, exist_ok=True)
        return self


def folders() -> Folders:
    """The folders in force: `TOUCHSTONE_STATE` or `.state` of the checkout; `TOUCHSTONE_CACHE` or its `cache`."""
    stated = os.environ.get("TOUCHSTONE_STATE", "")
    state = Path(stated).expanduser().resolve() if stated else checkout() / ".state"
    cached = os.environ.get("TOUCHSTONE_CACHE", "")
    return Folders(state, Path(cached).expanduser().resolve() if cached else state / "cache")


def setting(name: str, default: str = "") -> str:
    """One environment variable, or its default where it is unset or empty."""
    return os.environ.get(name, "") or default


def environment() -> dict[str, str]:
    """A copy of the environment for processes that we start."""
    return dict(os.environ)
