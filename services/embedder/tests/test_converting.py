"""Folders in which models are converted: nobody else's stay while he lives, and none stays after its maker."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from embedder.adapters.converting import Card, NotKeptError, convert, main
from embedder.adapters.scratch import remove_left, scratch_in

MAKER = """
import sys, time
from pathlib import Path
from embedder.adapters.converting import Card, NotKeptError, convert, main
from embedder.adapters.scratch import scratch_in
with scratch_in(Path(sys.argv[1])) as scratch:
    (scratch / "model.bin").write_bytes(b"half of it")
    print(scratch, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def maker(tmp_path):
    """A process that is converting, and its folder."""
    with subprocess.Popen([sys.executable, "-c", MAKER, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_what_a_killed_conversion_left_goes_and_what_one_is_at_stays(maker, tmp_path):
    process, folder = maker
    (tmp_path / "model-1").mkdir()
    remove_left(tmp_path)
    assert (folder / "model.bin").is_file()
    process.kill()
    process.wait()
    with scratch_in(tmp_path) as own:
        assert not folder.exists() and own.is_dir()
        remove_left(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([own, tmp_path / "model-1"])
    assert sorted(tmp_path.iterdir()) == [tmp_path / "model-1"]


def test_what_an_earlier_release_left_goes_at_the_next_look(tmp_path):
    (tmp_path / ".convertingab12").mkdir()
    (tmp_path / ".convertingab12" / "model.bin").write_bytes(b"half of it")
    (tmp_path / ".converting-notes").write_text("a file is nobody's folder")
    remove_left(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [".converting-notes"]
    remove_left(tmp_path / "not made yet")


def test_a_conversion_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(FileNotFoundError), scratch_in(tmp_path) as scratch:
        scratch.rename(scratch / "nowhere" / "model-1")
    assert list(tmp_path.iterdir()) == []


def test_what_is_kept_under_another_name_stays(tmp_path):
    with scratch_in(tmp_path) as scratch:
        (scratch / "model.bin").write_bytes(b"all of it")
        scratch.rename(tmp_path / "model-1")
    assert (tmp_path / "model-1" / "model.bin").read_bytes() == b"all of it"
    # Services that run as another user read it.
    assert (tmp_path / "model-1").stat().st_mode & 0o777 == 0o755


def test_who_loses_his_folder_to_somebody_who_tidies_makes_another(tmp_path, monkeypatch):
    made = []

    def tidied_at_once(make=tempfile.mkdtemp, **where):
        made.append(make(**where))
        if len(made) == 1:
            remove_left(tmp_path)
        return made[-1]

    monkeypatch.setattr("embedder.adapters.scratch.tempfile.mkdtemp", tidied_at_once)
    with scratch_in(tmp_path) as scratch:
        assert scratch.is_dir() and len(made) == 2


@pytest.mark.parametrize("target", ["file/model-1", "file/folder/model-1"])
def test_a_conversion_that_cannot_be_kept_is_no_fault_of_the_model(tmp_path, monkeypatch, capsys, target):
    (tmp_path / "file").write_text("no folder can be made here")

    def made(_folder, target, _threads):
        from embedder.adapters import converting

        converting.keep(None, Card(4, 8, 0, "f32"), target)

    monkeypatch.setattr("embedder.adapters.converting._convert", made)
    monkeypatch.setattr("sys.argv", ["converting", "folder", str(tmp_path / target), "1"])
    status, said = main(), capsys.readouterr().out
    monkeypatch.setattr("embedder.adapters.converting.demand_torch", lambda _folder: None)
    done = subprocess.CompletedProcess([], status, said, "")
    monkeypatch.setattr("embedder.adapters.converting.subprocess.run", lambda *_command, **_options: done)
    with pytest.raises(NotKeptError, match=r"cannot be kept in .*file"):
        convert(tmp_path, tmp_path / target, 1)
