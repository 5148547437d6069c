"""Prepared environments are kept for those who have them, or were told that they can have them."""

import contextlib
import io
import os
import tarfile
import time

import pytest

from sandbox_executor.adapters.packages.fetching import Fetched
from sandbox_executor.adapters.packages.preparing import Preparer, evict, use_environment
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.packages import Measured
from sandbox_executor.domain.requirements import Package, environment_id
from sandbox_executor.errors import JobRefusedError

PACKAGE = Package("a", "1", "00")
PYTHON = LANGUAGES["python"]


def use_long_ago(environment):
    long_ago = time.time() - 9000
    os.utime(environment, (long_ago, long_ago))


def test_an_environment_stays_while_a_job_or_a_session_has_it(tmp_path):
    name = environment_id((PACKAGE,), "cpython-311")
    (tmp_path / name).mkdir()
    (tmp_path / name / "file").write_bytes(bytes(1000))
    with use_environment(tmp_path, name, PYTHON):
        with use_environment(tmp_path, name, PYTHON):
            pass
        use_long_ago(tmp_path / name)
        assert evict(tmp_path, 0) == []
    # Its last use is the end of what had it.
    assert evict(tmp_path, 0) == []
    use_long_ago(tmp_path / name)
    assert evict(tmp_path, 0) == [name]
    with pytest.raises(JobRefusedError, match="no such environment"), use_environment(tmp_path, name, PYTHON):
        pytest.fail("it is gone")
    (tmp_path / name).mkdir()
    go = LANGUAGES["go"]
    with pytest.raises(JobRefusedError, match="holds packages of python"), use_environment(tmp_path, name, go):
        pytest.fail("it is Python's")
    with use_environment(tmp_path, "", LANGUAGES["go"]):
        pass


class Fetching:
    """An installer that finds one package, by whatever words it is asked for."""

    language = runtime = "python"
    interpreter = "cpython-311"

    def check(self, requirements):
        return requirements

    def name_of(self, requirement):
        return requirement.split("==")[0]

    def is_pinned(self, wanted):
        return all("==" in requirement for requirement in wanted)

    def made_for(self, wanted):
        return self.interpreter

    def files(self, wanted):
        return {}

    def fetch(self, desk, wanted, policy, now):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as stream:
            stream.addfile(tarfile.TarInfo("file"))
        return Fetched({PACKAGE: Measured(0, False)}, archive.getvalue())


@pytest.mark.parametrize("requirement", ["a==1", "a"])
def test_an_environment_that_is_told_to_be_ready_waits_for_its_job(tmp_path, requirement):
    preparer = Preparer(tmp_path, lambda *_: contextlib.nullcontext(), "", {"python": Fetching()})
    name = preparer.prepare("python", ("a==1",), None).environment_id
    use_long_ago(tmp_path / name)
    assert preparer.prepare("python", (requirement,), None).environment_id == name
    assert evict(tmp_path, -1) == []
    use_long_ago(tmp_path / name)
    assert evict(tmp_path, -1) == [name]
