"""Models that a running platform does not wait for: `python -m touchstone_local.later_models` fetches them and ends.

It begins some minutes after the platform, whose first minutes have better things to fetch, and tries for ever where a
model cannot be had; the embedder looks for it by itself.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from touchstone_local import models
from touchstone_local.errors import LocalError
from touchstone_local.settings import Folders, folders

AFTER_S = 600.0
_AGAIN_S, _AGAIN_AT_MOST_S = 60.0, 1800.0


def fetch(where: Folders, *, tell: Callable[[str], None], pause: Callable[[float], None], after_s: float) -> None:
    """Have every model that comes later; returns when all are here.

    Args:
        where: Where models go.
        tell: Takes lines for the log.
        pause: Waits so many seconds.
        after_s: Seconds before the first is fetched.
    """
    wait_s, again_s = after_s, _AGAIN_S
    while missing := models.awaited_later(where.models):
        pause(wait_s)
        wait_s, again_s = again_s, min(2 * again_s, _AGAIN_AT_MOST_S)
        for model in missing:
            try:
                models.ensure(model, where)
            except (LocalError, OSError) as error:
                tell(f"{model.name} is not here: {error}; it is tried again in {wait_s:.0f} s")
            else:
                tell(f"{model.name} is here")


def main() -> int:
    """Fetch what the settings in force want."""

    def tell(words: str) -> None:
        print(words, flush=True)

    try:
        fetch(folders().create(), tell=tell, pause=time.sleep, after_s=AFTER_S)
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
