"""Write the `requirements.lock` of every member that has an image: what it installs, pinned as in the root's lock.

Run by `make lock`, after the root's lock.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

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


def main() -> None:
    """Compile the lock of every image."""
    for pyproject in sorted([*ROOT.glob("services/*/pyproject.toml"), *ROOT.glob("clients/web/pyproject.toml")]):
        name = tomllib.loads(pyproject.read_text())["project"]["name"]
        subprocess.run(
            [
                *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--python-version", "3.11"),
                *("--generate-hashes", "--no-header", "--no-annotate", "-c", str(ROOT / "requirements.lock")),
                *("-", "-o", str(pyproject.parent / "requirements.lock")),
            ],
            input="\n".join(sorted(third_party(name, set()))),
            text=True,
            check=True,
        )


if __name__ == "__main__":
    main()
