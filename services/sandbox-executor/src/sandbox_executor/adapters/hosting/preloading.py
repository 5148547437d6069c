"""Which libraries a job's interpreter shall have loaded before the candidate comes."""

from __future__ import annotations

import re

from sandbox_executor.adapters.hosting.layout import PRELOADABLE
from sandbox_executor.adapters.running import Setting

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_ALSO = re.compile(r"^[ \t]*import[ \t]+[\w., \t]*", re.MULTILINE)


def preload_for(setting: Setting) -> tuple[str, ...]:
    """Libraries that the candidate's interpreter shall have loaded already.

    A prepared environment may bring other versions, so nothing is loaded before it is mounted.
    """
    if setting.language.name != "python" or setting.environment_id:
        return ()
    named = set(_IMPORT.findall(setting.source))
    for line in _ALSO.findall(setting.source):  # import a, b
        _, _, names = line.partition("import")
        named.update(part.split()[0] for part in names.split(",") if part.strip())
    found = [name for name in PRELOADABLE if name in {part.split(".")[0] for part in named}]
    if "pandas" in found and "numpy" not in found:
        found.insert(0, "numpy")
    return tuple(found)
