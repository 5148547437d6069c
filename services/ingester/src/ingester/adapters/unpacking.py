"""An archive is opened in a process of its own, which may take so much memory and time and write so large a file.

What an archive says of itself is read into memory before anybody can judge it: a name of 128 MB is one header. Here it
costs a child its life, and the source its pass; the service goes on.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from ingester.adapters.archives import UnpackLimits, unpack
from ingester.errors import SourceRefusedError

MEMORY_BYTES = 384 << 20
_CPU_S = 300
_WALL_S = 600.0


def unpack_apart(archive: Path, target: Path, limits: UnpackLimits, *, memory_bytes: int = MEMORY_BYTES) -> int:
    """Unpack as `unpack` does, in a limited child.

    Raises:
        SourceRefusedError: as `unpack`, or the child needed more than it may.
    """
    request = json.dumps(
        {"archive": str(archive), "target": str(target), "limits": asdict(limits), "memory_bytes": memory_bytes}
    )
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ingester.adapters.unpacking"],
            input=request,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_WALL_S,
            env={"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
        )
        answer: dict[str, object] = json.loads(done.stdout) if done.stdout else {}
    except subprocess.TimeoutExpired:
        raise _refused(archive, f"takes longer than {_WALL_S:.0f} s to open") from None
    except ValueError:
        answer = {}
    if "refused" in answer:
        raise _refused(archive, str(answer["refused"]))
    if "written" not in answer:
        raise _refused(archive, f"takes more than {memory_bytes >> 20} MiB or {_CPU_S} s of a processor to open")
    return int(str(answer["written"]))


def _refused(archive: Path, why: str) -> SourceRefusedError:
    return SourceRefusedError(why, thing=archive.name, way_out="use another release, or remove the source")


def main() -> None:
    """Unpack what standard input names, within limits; print how it ended."""
    request = json.loads(sys.stdin.read())
    limits = UnpackLimits(**request["limits"])
    memory = int(request["memory_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S + 5))
    largest = limits.file_bytes + (1 << 20)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer: dict[str, object] = {"written": unpack(Path(request["archive"]), Path(request["target"]), limits)}
    except SourceRefusedError as error:
        answer = {"refused": error.message[:500]}
    except MemoryError:
        answer = {"refused": f"takes more than {memory >> 20} MiB to open"}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
