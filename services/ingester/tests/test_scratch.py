"""Folders of processes that were killed are emptied; those of others that live are left alone."""

from __future__ import annotations

import subprocess
import sys

from ingester.adapters.scratch import Scratch

HOLD = """
import sys
from pathlib import Path
from ingester.adapters.scratch import Scratch
print(Scratch(Path(sys.argv[1])).folder(), flush=True)
sys.stdin.read()
"""


def test_what_a_killed_process_left_is_gone_and_what_another_holds_stays(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        held = other.stdout.readline().strip()
        (tmp_path / "source-old").mkdir()
        (tmp_path / "source-old" / "a.py").write_text("")
        first = Scratch(tmp_path)
        assert first.folder() == first.folder() and first.folder().is_dir()
        assert {each.name for each in tmp_path.iterdir() if each.is_dir()} == {
            first.folder().name, held.rpartition("/")[2],
        }  # fmt: skip
        other.kill()
        other.wait()
        own = {first.folder(), Scratch(tmp_path).folder()}
        assert len(own) == 2 and {each for each in tmp_path.iterdir() if each.is_dir()} == own
