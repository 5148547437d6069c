"""What only runner pods have: a pod that can end, a pool that is filled again, things that they refuse."""

import contextlib
import os
import threading
import time

import pytest

from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.limits import resolve
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from sandbox_executor.usecases import Stop

pytestmark = pytest.mark.parametrize("bench", ["pods"], indirect=True)
LOOP = "def f():\n    while True: pass"


def claimed(cluster):
    with cluster.changed:
        return [name for name in cluster.pods if cluster.state(name) == "claimed"]


def test_each_job_has_a_pod_of_its_own_that_is_gone_afterwards_and_another_comes(bench):
    cluster = bench.backend.cluster
    before = {path for verb, path in cluster.asked if verb == "delete"}
    source = "def f():\n    import os\n    open('/tmp/mark', 'w').close()\n    return os.listdir('/tmp')"
    assert [bench.one(source).value for _ in range(2)] == ['["mark"]'] * 2
    cluster.until(lambda: not claimed(cluster))
    assert len({path for verb, path in cluster.asked if verb == "delete"} - before) >= 2
    cluster.until(lambda: sum(pod["status"]["phase"] == "Running" for pod in cluster.pods.values()) >= 3, 120)


def test_a_pod_that_ends_in_the_middle_is_no_fault_of_the_candidate(bench):
    cluster = bench.backend.cluster

    def kill():
        deadline = time.monotonic() + 60
        while not claimed(cluster) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        cluster.kill(claimed(cluster)[0], "Evicted")

    threading.Thread(target=kill, daemon=True).start()
    with pytest.raises(SandboxFaultError, match="the runner is gone"):
        bench.one(LOOP, case_timeout_s=60.0)


def test_a_cancelled_job_leaves_no_pod(bench):
    cluster = bench.backend.cluster
    with contextlib.closing(bench.later(1.0)) as stop:
        assert bench.cases(LOOP, [], stop=stop, case_timeout_s=100.0) == []
    cluster.until(lambda: not claimed(cluster))


def test_the_executors_variables_and_those_of_the_pod_are_not_there(bench):
    assert "TOUCHSTONE_CANARY" in os.environ
    found = bench.one("import os\ndef f(): return sorted(os.environ)").value
    assert "TOUCHSTONE" not in found and "POD" not in found


def test_what_needs_a_network_is_refused_with_the_way_out(bench):
    assert bench.backend.egress is False
    with contextlib.closing(Stop()) as stop:
        with pytest.raises(JobRefusedError, match="local backend"):
            bench.backend.prepare("python", ("attrs",), stop)
        job = CasesJob("python", "", "f", ("[]",), resolve({}), environment_id="e" * 32)
        with pytest.raises(JobRefusedError, match="base environment"):
            bench.backend.run_cases(job, [].append, stop)
