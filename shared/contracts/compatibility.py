"""Whether events of the last release still fit the schemas of now; `make check` runs it.

`python shared/contracts/compatibility.py` compares `schemas/` with `released/`, and says what would break a reader or a
writer that was released. `… --release` makes the schemas of now, and the protos, the released ones.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SCHEMAS, RELEASED = HERE / "schemas", HERE / "released"
# It comes in a package, beside the Python that runs this.
BUF = str(Path(sys.executable).parent / "buf")
PROTOS = HERE.parents[1] / "proto"
IMAGE = RELEASED / "proto.binpb"


def breaks(before: Any, now: Any, place: str = "") -> list[str]:
    """What of a released schema no longer holds.

    A field may be added where it is optional, and nothing may be taken away, change its type or become required. Known
    members of enumerations may only grow.
    """
    found: list[str] = []
    if not isinstance(before, dict) or not isinstance(now, dict):
        return found
    for name in ("properties", "$defs"):
        for key, inner in before.get(name, {}).items():
            where = f"{place}.{key}".lstrip(".")
            if key not in now.get(name, {}):
                found.append(f"{where}: is gone")
            else:
                found += breaks(inner, now[name][key], where)
    new = set(now.get("required", ())) - set(before.get("required", ()))
    found += [f"{place}.{key}".lstrip(".") + ": is required now" for key in sorted(new)]
    if before.get("type", now.get("type")) != now.get("type", before.get("type")):
        found.append(f"{place}: was {before.get('type')}, is {now.get('type')}")
    gone = set(map(str, before.get("enum", ()))) - set(map(str, now.get("enum", before.get("enum", ()))))
    found += [f"{place}: member {member} is gone" for member in sorted(gone)]
    found += breaks(before.get("items"), now.get("items"), f"{place}[]")
    return found


def main() -> int:
    """Compare, or make today's contracts the released ones."""
    if "--release" in sys.argv[1:]:
        RELEASED.mkdir(exist_ok=True)
        for path in SCHEMAS.glob("*.json"):
            shutil.copy(path, RELEASED / path.name)
        subprocess.run([BUF, "build", str(PROTOS), "-o", str(IMAGE)], check=True)
        return 0
    problems: list[str] = []
    for path in sorted(RELEASED.glob("*.json")):
        now = SCHEMAS / path.name
        if not now.is_file():
            problems.append(f"{path.stem}: the topic is gone")
            continue
        problems += [
            f"{path.stem}: {each}" for each in breaks(json.loads(path.read_text()), json.loads(now.read_text()))
        ]
    protos = subprocess.run(
        [BUF, "breaking", str(PROTOS), "--against", str(IMAGE)], capture_output=True, text=True, check=False
    )
    if protos.returncode:
        problems += (protos.stdout + protos.stderr).splitlines()
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
