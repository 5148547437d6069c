"""Write the `requirements.lock` of every member that has an image: what it installs, pinned as in the root's lock.

What runs within Inspect has one as well, pinned by itself: Inspect wants other versions of some libraries.

Run by `make lock`, after the root's lock.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

from requirements_in import APART

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = {
    tomllib.loads(path.read_text())["project"]["name"]: path
    for path in [*sorted(ROOT.glob("*/*/pyproject.toml")), ROOT / "local/pyproject.toml"]
}


def third_party(name: str, seen: set[str]) -> set[str]:
    """Requirements of a member and of the members that it needs."""
    if name in seen:
        return set()
    seen.add(name)
    needed: set[str] = {"hatchling", "editables"}
    for requirement in tomllib.loads(MEMBERS[name].read_text())["project"].get("dependencies", []):
        needed |= third_party(requirement, seen) if requirement in MEMBERS else {requirement}
    return needed


def compile_lock(pyproject: Path, wanted: set[str], *options: str) -> None:
    """Write the lock beside a member's project file."""
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--python-version", "3.11"),
            *("--generate-hashes", "--no-header", "--no-annotate", *options),
            *("-", "-o", str(pyproject.parent / "requirements.lock")),
        ],
        input="\n".join(sorted(wanted)),
        text=True,
        check=True,
    )


def main() -> None:
    """Compile the lock of every image, and that of Inspect's environment with what tests it."""
    for pyproject in sorted([*ROOT.glob("services/*/pyproject.toml"), *ROOT.glob("clients/web/pyproject.toml")]):
        name = tomllib.loads(pyproject.read_text())["project"]["name"]
        compile_lock(pyproject, third_party(name, set()), "-c", str(ROOT / "requirements.lock"))
    content = tomllib.loads(APART.read_text())
    compile_lock(APART, third_party(content["project"]["name"], set()) | set(content["dependency-groups"]["test"]))


if __name__ == "__main__":
    main()
