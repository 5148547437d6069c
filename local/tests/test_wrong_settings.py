"""What people are told of a setting that is wrong: by the doctor before a start, by a process's state after."""

import json

import pytest

from touchstone_local import doctor, platform
from touchstone_local.errors import LocalError
from touchstone_local.settings import folders
from touchstone_local.supervisor import _last_line


@pytest.fixture
def where(tmp_path, monkeypatch):
    for name in ("CHAT_MODEL", "EMBEDDING_MODELS", "CODE_INDEX", "LLM_MODEL", "LLM_BASE_URL", "PORT_BASE"):
        monkeypatch.delenv(f"TOUCHSTONE_{name}", raising=False)
    monkeypatch.setenv("TOUCHSTONE_STATE", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    return folders()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CHAT_MODEL", "nope"),
        ("EMBEDDING_MODELS", "all-MiniLM-L6-v2"),
        ("LLM_MODEL", "nope"),
        ("CODE_INDEX", "weaviate"),
        ("PORT_BASE", "abc"),
        ("PORT_BASE", "65500"),
        ("LLM_BUDGET_USD", "5 dollars"),
        ("LLM_API_KEYS", '["sk-secret"]'),
    ],
)
def test_the_doctor_finds_what_a_start_refuses(where, monkeypatch, name, value):
    monkeypatch.setenv(f"TOUCHSTONE_{name}", value)
    found = [check for check in doctor.examine(where) if check.state == doctor.PROBLEM]
    told = [check for check in found if f"TOUCHSTONE_{name}" in " ".join((check.name, check.detail, check.way_out))]
    assert len(told) == 1, found
    assert "sk-secret" not in str(found)


@pytest.mark.parametrize("base", ["abc", "-5", "0", "65500", "7101.0"])
def test_a_base_that_no_ports_follow_is_told(where, monkeypatch, base):
    monkeypatch.setenv("TOUCHSTONE_PORT_BASE", base)
    with pytest.raises(LocalError, match=f"TOUCHSTONE_PORT_BASE={base}"):
        platform.choose_addresses(where)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Segmentation fault", "Segmentation fault"),
        (json.dumps({"event": "wrong_setting", "error": "TOUCHSTONE_X: no number"}), "TOUCHSTONE_X: no number"),
        (json.dumps({"event": "crashed", "exception": "Traceback\n  File\nOSError: disk full"}), "OSError: disk full"),
        (json.dumps({"event": "stopping"}), "stopping"),
        ("[1]", "[1]"),
        ("7", "7"),
    ],
)
def test_why_a_process_ended_is_told_without_its_wrapping(tmp_path, line, said):
    log = tmp_path / "a.log"
    log.write_text(f"before\n{line}\n\n")
    assert _last_line(log) == said
