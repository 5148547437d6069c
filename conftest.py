"""What all tests have in common: settings of their own, and gVisor, built before the first test that needs it."""

from __future__ import annotations

import os

import pytest

from sandbox_executor.adapters.gvisor.provision import provision
from sandbox_executor.settings import SandboxSettings
from touchstone_local.settings import folders


def find_runsc(config):
    """gVisor's program; built from source where it is not there yet, once a machine, in some minutes."""
    settings = SandboxSettings()
    if settings.sandbox_runsc is not None:
        return settings.sandbox_runsc
    terminal = config.pluginmanager.getplugin("terminalreporter")
    # A worker of several has no terminal.
    tell = terminal.write_line if terminal else print
    return provision(folders().cache, settings.go_root, settings.go_variables(), tell)


@pytest.fixture(autouse=True)
def own_settings():
    """Settings that a command exports within a test are gone after it: the next one may start a platform of its own."""
    before = {name: value for name, value in os.environ.items() if name.startswith("TOUCHSTONE_")}
    yield
    for name in [name for name in os.environ if name.startswith("TOUCHSTONE_")]:
        if name not in before:
            del os.environ[name]
    os.environ.update(before)


def pytest_collection_finish(session):
    """Build it now: within a test it would count against that test's time."""
    chosen = [value for item in session.items if hasattr(item, "callspec") for value in item.callspec.params.values()]
    if "gvisor" in chosen and not session.config.option.collectonly:
        find_runsc(session.config)


@pytest.fixture(scope="session")
def runsc(request):
    """gVisor's program."""
    return find_runsc(request.config)
