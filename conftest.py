"""What tests of services and of the whole have in common: gVisor, built before the first test that runs on it."""

from __future__ import annotations

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


def pytest_collection_finish(session):
    """Build it now: within a test it would count against that test's time."""
    chosen = [value for item in session.items if hasattr(item, "callspec") for value in item.callspec.params.values()]
    if "gvisor" in chosen and not session.config.option.collectonly:
        find_runsc(session.config)


@pytest.fixture(scope="session")
def runsc(request):
    """gVisor's program."""
    return find_runsc(request.config)
