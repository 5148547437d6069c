"""Platforms beside one another: `up` and `down` mean the one of their folder, and what runs is what was asked for."""

import json
from types import SimpleNamespace

import pytest

from touchstone_cli import machine
from touchstone_cli.errors import INTERRUPTED, CliError
from touchstone_local import control
from touchstone_local.settings import Folders


@pytest.fixture
def platforms(tmp_path, monkeypatch):
    """Two folders whose supervisors run, and whose brokers cannot: a file stands where their data should be."""
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://elsewhere")
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://elsewhere/v1")
    monkeypatch.delenv("TOUCHSTONE_KAFKA_BOOTSTRAP", raising=False)
    # Nothing is fetched here: no part comes so far that it needs it.
    monkeypatch.setattr(control, "downloads", lambda _folders: [])
    # The first failure is told.
    monkeypatch.setattr(machine, "MOST_RESTARTS", 0)
    made = [Folders(tmp_path / name, tmp_path / name / "cache").create() for name in ("one", "two")]
    try:
        for folders in made:
            (folders.state / "kafka").write_text("")
            control.launch(folders)
        yield made
    finally:
        for folders in made:
            control.halt(folders)


def up(folders):
    """As `touchstone up` does; the broker cannot start, and that is said."""
    with pytest.raises(CliError, match="kafka"):
        machine.start_platform(folders)


def test_up_beside_a_running_platform_touches_neither(platforms, capsys):
    before = [control.running(folders) for folders in platforms]
    up(platforms[0])
    assert [control.running(folders) for folders in platforms] == before
    assert "Changed" not in capsys.readouterr().err


def test_a_start_that_is_interrupted_says_that_it_goes_on_and_how_to_stop_it(platforms, monkeypatch):
    def interrupted(_folders):
        raise KeyboardInterrupt

    with monkeypatch.context() as pressed:
        pressed.setattr(control, "status", interrupted)
        with pytest.raises(CliError, match=r"goes on starting.*`touchstone down` stops it") as met:
            machine.start_platform(platforms[0])
    assert met.value.exit_code == INTERRUPTED
    assert control.running(platforms[0]) is not None


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("downloads", "nothing was started; what is fetched stays, and `touchstone up` goes on from there"),
        ("halt", "some of its processes may run on"),
        ("launch", "the platform goes on starting"),
    ],
)
def test_wherever_a_start_is_interrupted_it_says_what_runs_and_how_to_stop_it(tmp_path, monkeypatch, what, words):
    def interrupted(_folders):
        raise KeyboardInterrupt

    monkeypatch.setattr(control, "downloads", lambda _folders: [])
    monkeypatch.setattr(control, "outdated", lambda _folders: ["the code"] if what == "halt" else [])
    monkeypatch.setattr(control, what, interrupted)
    with pytest.raises(CliError) as met:
        machine.start_platform(Folders(tmp_path / "state", tmp_path / "cache"))
    assert met.value.exit_code == INTERRUPTED
    assert words in str(met.value) and "`touchstone down` stops it" in str(met.value)


def test_a_stop_that_is_interrupted_says_that_processes_may_run_on(touchstone, monkeypatch):
    def interrupted(_folders):
        raise KeyboardInterrupt

    monkeypatch.setattr(control, "status", lambda _folders: [SimpleNamespace(pid=1)])
    monkeypatch.setattr(control, "halt", interrupted)
    done = touchstone("down")
    assert done.code == INTERRUPTED and "may run on" in done.err and "`touchstone down` stops them" in done.err


@pytest.mark.parametrize("what", ["TOUCHSTONE_EVALUATOR_WORKERS", "the code"])
def test_up_after_an_update_or_with_another_setting_starts_anew_and_says_why(platforms, what, monkeypatch, capsys):
    one, two = platforms
    old, other = control.running(one), control.running(two)
    if what == "the code":
        # The supervisor reads the code itself, so that what it noted is changed, as an update changes the code.
        noted = one.state / "started.json"
        noted.write_text(json.dumps(json.loads(noted.read_text()) | {"code": "of the release before"}))
    else:
        monkeypatch.setenv(what, "3")
    up(one)
    new = control.running(one)
    assert new is not None and new != old and not old.alive()
    said = capsys.readouterr()
    assert f"Changed since the platform was started: {what}." in said.out + said.err
    assert control.running(two) == other
    # It knows now.
    up(one)
    assert control.running(one) == new


def test_down_stops_the_platform_of_its_folder_and_no_other(platforms, monkeypatch, tmp_path, capsys):
    one, two = platforms
    monkeypatch.chdir(one.state)
    monkeypatch.setenv("TOUCHSTONE_STATE", str(two.state))
    machine.down()
    assert control.running(two) is None
    assert control.running(one) is not None
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path / "three"))
    machine.down()
    said = capsys.readouterr()
    assert f"Nothing runs of {tmp_path / 'three'}" in said.out + said.err
    assert control.running(one) is not None
