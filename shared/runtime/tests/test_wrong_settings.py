"""A setting that is wrong is told by its name, on one line of the log, and no value of any setting with it."""

import json
import subprocess
import sys

import pytest

from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.settings import ServiceSettings

SECRET = "sk-very-secret-key"
START = "from {0} import {1}; from touchstone_runtime.settings import settings_or_end; settings_or_end({1})"
SERVICE = START.format("touchstone_runtime.settings", "ServiceSettings")


def lines_of(script):
    """What a process that begins so says; it ends with 1."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done
    assert SECRET not in done.stderr + done.stdout
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TOUCHSTONE_LLM_API_KEYS", f'["{SECRET}"]', "TOUCHSTONE_LLM_API_KEYS: "),
        ("TOUCHSTONE_LLM_API_KEYS", f'{{"a.example": {{"key": "{SECRET}"}}}}', "TOUCHSTONE_LLM_API_KEYS: a.example: "),
        ("TOUCHSTONE_LLM_API_KEYS", f"a.example={SECRET}", "TOUCHSTONE_LLM_API_KEYS: is no JSON"),
        ("TOUCHSTONE_LLM_BUDGET_USD", SECRET, "TOUCHSTONE_LLM_BUDGET_USD: "),
        ("TOUCHSTONE_KAFKA_SECURITY_PROTOCOL", SECRET, "TOUCHSTONE_KAFKA_SECURITY_PROTOCOL: "),
        ("TOUCHSTONE_LOG_LEVEL", "loud", "TOUCHSTONE_LOG_LEVEL: it is debug, info, warning or error"),
        ("TOUCHSTONE_HTTP_LISTEN", "127.0.0.1", "TOUCHSTONE_HTTP_LISTEN: it is host:port"),
        ("TOUCHSTONE_GRPC_LISTEN", "127.0.0.1:x", "TOUCHSTONE_GRPC_LISTEN: it is host:port"),
    ],
)
def test_a_wrong_setting_is_told_and_its_value_is_not(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    (line,) = lines_of(SERVICE)
    told = json.loads(line)
    assert (told["event"], told["level"], told["service"]) == ("wrong_setting", "critical", "runtime")
    assert told["error"].startswith(said), told["error"]


def test_settings_that_do_not_go_together_show_none_of_them(monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_GIT_TOKEN", SECRET)
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEYS", f'{{"a": "{SECRET}"}}')
    (line,) = lines_of(START.format("ingester.settings", "IngesterSettings"))
    told = json.loads(line)
    assert told["service"] == "ingester" and "TOUCHSTONE_GIT_TOKEN_HOST" in told["error"], told


def test_whoever_makes_settings_is_told_without_values_either():
    with pytest.raises(PreconditionError) as raised:
        ServiceSettings(llm_api_keys=[SECRET])
    error = raised.value
    assert SECRET not in str(error) and error.__context__ is None and error.__cause__ is None
    assert ServiceSettings(log_level="WARNING", grpc_listen="unix:/tmp/s", http_listen="[::1]:0").log_level == "WARNING"


def test_a_text_that_was_made_from_a_file_is_taken_without_the_end_of_its_line(monkeypatch):
    # As `kubectl create secret --from-file` keeps what an editor wrote: in a header it would never be sent.
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", f"{SECRET}\n")
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEYS", json.dumps({"a.example": f"{SECRET}\r\n"}))
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql+asyncpg://role:word@database:5432/touchstone\n")
    monkeypatch.setenv("TOUCHSTONE_KAFKA_PASSWORD", "two words\n")
    settings = ServiceSettings()
    assert (settings.llm_api_key, settings.llm_api_keys, settings.kafka_password) == (
        SECRET, {"a.example": SECRET}, "two words",
    )  # fmt: skip
    assert settings.database_url.endswith("/touchstone")
