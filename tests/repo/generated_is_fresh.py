"""Regenerate stubs, schemas and AsyncAPI, and fail when the tree differs from what is committed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = [
    "shared/rpc/src",
    "shared/contracts/schemas",
    "shared/contracts/asyncapi.json",
    "docs/flow.svg",
    "docs/reference",
    "helm/touchstone/files/dashboards",
    "helm/touchstone/README.md",
    "helm/touchstone/values.schema.json",
]


def main() -> int:
    """Return 0 when the generated files are fresh."""
    subprocess.run(["make", "--silent", "gen"], cwd=ROOT, check=True)
    status = ["git", "status", "--porcelain", "--", *GENERATED]
    changed = subprocess.run(status, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if changed:
        sys.stderr.write(f"Generated files are stale; run `make gen` and commit:\n{changed}")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
