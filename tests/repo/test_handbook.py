"""What the operator's handbook has people type is tried as far as that goes without a cluster."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from touchstone_runtime.tokens import TokenFile

HANDBOOK = Path(__file__).parents[2] / "k8s" / "README.md"
# Writes each key of the secret that it is told to make to a file, as kubectl would send it.
KUBECTL = """#!/bin/sh
set -e
mkdir made
for word in "$@"; do
  case "$word" in
    --from-literal=*) pair=${word#--from-literal=}; printf %s "${pair#*=}" > "made/${pair%%=*}" ;;
    --from-file=*) file=${word#--from-file=}; cp "$file" "made/${file##*/}" ;;
  esac
done
"""


def test_the_secret_of_the_doors_holds_the_tokens_and_nothing_around_them(tmp_path):
    # Prometheus' operator shows the key `monitor` as it is, and a header with the end of a line in it is refused.
    (block,) = [each for each in HANDBOOK.read_text().split("```")[1::2] if "touchstone token create" in each]
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    variables = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TOUCHSTONE_STATE": str(tmp_path / "state")}
    subprocess.run(["sh", "-e", "-c", block], cwd=tmp_path, env=variables, check=True, capture_output=True, text=True)
    made = {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}
    tokens = TokenFile(tmp_path / "made" / "tokens.json")
    kept = {name: tokens.find(text) for name, text in made.items() if name != "tokens.json"}
    assert {name: token and token.scope for name, token in kept.items()} == {
        "service": "serve", "pages": "operate", "monitor": "read",
    }  # fmt: skip
    assert len(json.loads(made["tokens.json"])["tokens"]) == len(kept)
    assert not any(token.expired(datetime.now(UTC)) or token.expires_at for token in kept.values())
