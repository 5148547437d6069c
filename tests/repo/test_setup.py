"""What `make setup` leaves: an environment whose processes start without compiling what they import."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Prints the source files of all modules that importing this one brings.
_IMPORTED = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
print(json.dumps(sorted(name for name in files if name and name.endswith(".py"))))
"""


@pytest.mark.parametrize("service", ["embedder.app", "evaluator.app", "pbt_generator.app"])
def test_what_a_service_imports_from_others_is_compiled(service):
    command = [sys.executable, "-c", _IMPORTED, service]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    installed = [name for name in json.loads(told.splitlines()[-1]) if "/site-packages/" in name]
    assert len(installed) > 200
    assert [name for name in installed if not Path(importlib.util.cache_from_source(name)).is_file()] == []


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 12), (3, 13), (4, 11)])
def test_another_python_is_refused_before_anything_is_made_or_fetched(tmp_path, version):
    (tmp_path / "requirements-bootstrap.lock").touch()
    python = tmp_path / "another-python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.version_info = {(*version, 0)}; $2"\n')
    python.chmod(0o755)
    command = ["make", "--no-print-directory", "-f", ROOT / "Makefile", ".venv/.uv", f"PYTHON={python}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{python} is no Python 3.11; name one" in done.stderr
    assert not (tmp_path / ".venv").exists()
