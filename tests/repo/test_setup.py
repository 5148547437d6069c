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
