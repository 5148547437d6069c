"""Print what every workspace member and the development group ask for, one requirement a line."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# It has a lock of its own: what it runs within wants other versions.
APART = ROOT / "clients/inspect/pyproject.toml"


def requirements() -> list[str]:
    """Collect the third-party requirements of the root and of all members."""
    wanted: set[str] = set()
    for path in [ROOT / "pyproject.toml", *sorted(ROOT.glob("*/*/pyproject.toml")), ROOT / "local/pyproject.toml"]:
        if path == APART:
            continue
        content = tomllib.loads(path.read_text())
        wanted.update(content["project"].get("dependencies", []))
        for group in content.get("dependency-groups", {}).values():
            wanted.update(group)
        wanted.update(content.get("build-system", {}).get("requires", []))
    return sorted(w for w in wanted if not w.startswith("touchstone-"))


if __name__ == "__main__":
    sys.stdout.write("\n".join(requirements()) + "\n")
