"""The cache of images holds what the last builds need: other layers and archives go, so that the disk does not fill.

Each set of images that is used is noted by a file of its own, whose time is that of its last use. The layers of the two
sets that were used last stay, and with them the base and what their packages were installed in, so that a checkout that
goes back, or another one beside it, finds them; archives are as large again, and only those of the last set stay.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from touchstone_local.cluster import building, scaling
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_runtime.building import locked

_SETS = 2


def note(layout: Layout, images: Mapping[str, Path]) -> None:
    """Note that a set of images is used now.

    Args:
        layout: Whose cache holds them.
        images: The archive of each, by its name.
    """
    text = json.dumps({name: archive.name for name, archive in images.items()}, sort_keys=True)
    place = _notes(layout) / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(place)


def clear(layout: Layout, tell: Callable[[str], None]) -> None:
    """Remove the images and archives that no set needs that was used lately, and what broken builds left.

    Nothing goes while anyone builds images or reads their archives, or where no set was noted yet.

    Args:
        layout: Whose cache is cleared.
        tell: Told how much came free, or why nothing went; not called where there was nothing to remove.
    """
    try:
        with locked(building.lock(layout), fcntl.LOCK_EX | fcntl.LOCK_NB):
            _clear(layout, tell)
    except BlockingIOError:
        tell("old images stay: another build is going on")
    except LocalError as error:
        tell(f"old images stay: {error}")


def _clear(layout: Layout, tell: Callable[[str], None]) -> None:
    notes = sorted(_notes(layout).glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    if not notes:
        return
    sets: list[dict[str, str]] = [json.loads(path.read_text()) for path in notes[:_SETS]]
    store = building.Store(layout)
    needed = {name for one in sets for image in one for name in (image, building.stage_of(image))} | {building.BASE}
    freed = 0
    if images := store.unneeded(needed):
        before = store.room()
        store.remove(images)
        freed += before - store.room()
    kept = {*sets[0].values(), scaling.archive(layout).name}
    archives = [path for path in _folder(layout).iterdir() if path.is_file() and path.name not in kept]
    for path in archives:
        freed += path.stat().st_blocks * 512
        path.unlink()
    for path in notes[_SETS:]:
        path.unlink()
    if images or archives:
        old = f"{len(images)} images and {len(archives)} archives that nothing needs any more"
        tell(f"{freed / 1e9:.2f} GB came free: {old}")


def _folder(layout: Layout) -> Path:
    return layout.cache / "cluster" / "images"


def _notes(layout: Layout) -> Path:
    return _folder(layout) / "sets"
