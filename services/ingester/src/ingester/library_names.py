"""Writes `resources/library_names.json`: what the allowed libraries offer in this environment.

Run by hand when the list or the environment changes: `python -m ingester.library_names`. It imports the libraries of
the list, which are dependencies of the platform; nothing that came from a source is imported here.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import tomllib
import types
import warnings
from pathlib import Path

RESOURCES = Path(__file__).parent / "resources"
# Subpackages of third-party libraries worth listing; the rest is taken on trust.
_SUBMODULES = (
    "numpy.linalg", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.typing", "scipy.cluster",
    "scipy.fft", "scipy.integrate", "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize",
    "scipy.signal", "scipy.sparse", "scipy.spatial", "scipy.spatial.distance", "scipy.special", "scipy.stats",
    "pandas.api", "pandas.api.types", "pandas.errors", "pandas.tseries", "pandas.tseries.offsets", "dateutil.parser",
    "dateutil.relativedelta", "dateutil.rrule", "dateutil.tz", "dateutil.utils", "networkx.utils", "os.path",
    "collections.abc", "json.decoder", "json.encoder", "html.entities", "html.parser", "importlib.metadata",
)  # fmt: skip


def describe(module: types.ModuleType) -> dict[str, str]:
    """The names of one module."""
    names = sorted(name for name in dir(module) if name.isidentifier())
    entry = {"names": " ".join(names)}
    star = getattr(module, "__all__", None)
    if star is not None:
        entry["star"] = " ".join(sorted(star))
    return entry


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    listed = tomllib.loads((RESOURCES / "libraries.toml").read_text(encoding="utf-8"))["allowed"]
    wanted = [*listed["standard"], *listed["third_party"], *_SUBMODULES]
    table: dict[str, dict[str, str]] = {}
    for name in sorted(set(wanted)):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        entry = describe(module)
        path = getattr(module, "__path__", None)
        if path is not None:
            found = {info.name for info in pkgutil.iter_modules(path)}
            entry["names"] = " ".join(sorted({*entry["names"].split(), *found}))
        table[name] = entry
    text = json.dumps(table, sort_keys=True, indent=0, separators=(",", ":"))
    (RESOURCES / "library_names.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
