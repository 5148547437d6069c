"""What all tests have in common: settings of their own, and gVisor, which `make tools` builds before."""

from __future__ import annotations

import os
import re

import hypothesis
import pytest

from sandbox_executor.adapters.gvisor.provision import place
from sandbox_executor.settings import SandboxSettings
from touchstone_local.settings import folders

# Why a test may be skipped: facts of a machine that nothing can be brought for. All else that is missing is a failure.
FACTS_OF_MACHINES = (
    r"no Python outside of root's folders",
    r"cgroups of the second version are delegated",
    r"this kernel was built without \w+",
    r"\w+ does not exist on this architecture",
    r"libseccomp does not exist on this machine",
    r"has a test of its own",
)


def pytest_addoption(parser):
    """What a bench asks of a test more often than the tests do."""
    parser.addoption("--shuffles", type=int, default=2, help="Orders in which the evaluator's events are met again.")
    parser.addoption("--runner-pods", default="", help="Namespace and labels, ns:name=value: a cluster's, for `pods`.")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Nothing is skipped in silence: a test that is, for another reason than a fact of the machine, has failed."""
    outcome = yield
    report = outcome.get_result()
    if not report.skipped or hasattr(report, "wasxfail") or not isinstance(report.longrepr, tuple):
        return
    if not any(re.search(fact, report.longrepr[2]) for fact in FACTS_OF_MACHINES):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was to be skipped: {report.longrepr[2]}\nWhat is missing must be brought."


# What is slow because the machine is busy is no finding.
hypothesis.settings.register_profile(
    "busy", hypothesis.settings(), deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")


def find_runsc():
    """gVisor's program.

    Raises:
        UsageError: it is not there.
    """
    found = SandboxSettings().sandbox_runsc or place(folders().cache)
    if not found.is_file():
        raise pytest.UsageError(f"gVisor is not at {found}: run `make tools`")
    return found


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
    """Say at once what is missing; nothing is skipped."""
    chosen = [value for item in session.items if hasattr(item, "callspec") for value in item.callspec.params.values()]
    # Among the parameters are values that equal everything.
    if any(type(value) is str and value == "gvisor" for value in chosen) and not session.config.option.collectonly:
        find_runsc()


@pytest.fixture(scope="session")
def runsc():
    """gVisor's program."""
    return find_runsc()
