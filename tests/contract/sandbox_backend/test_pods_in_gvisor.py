"""Runner pods whose runtime class is gVisor: the same runner on a kernel without some layers, which holds no memory."""

import pytest

from sandbox_executor.domain.outcomes import Outcome

of_gvisor = pytest.mark.parametrize("bench", ["pods in gvisor"], indirect=True)


@of_gvisor
def test_every_layer_that_must_hold_does_and_what_is_absent_is_said(bench):
    layers = {layer.name: layer for layer in bench.backend.layers()}
    assert all(layer.in_force for layer in layers.values() if layer.required)
    assert {name for name, layer in layers.items() if not layer.in_force} == {"landlock", "dated answers"}
    assert "gVisor" in layers["kernel"].detail and "gVisor" in layers["landlock"].detail
    # The limit that gVisor's kernel takes and does not hold is not called the kernel's.
    assert "looking at it" in layers["cgroups"].detail


@of_gvisor
@pytest.mark.parametrize(
    ("body", "limits", "outcome"),
    [
        ("return __import__('os').uname().release", {}, Outcome.RETURNED),
        ("kept = []\n    while True: kept.append(bytearray(1 << 20))", {"memory_bytes": 128 << 20}, Outcome.MEMORY),
        ("open('/tmp/full', 'wb').write(bytes(200 << 20))", {"memory_bytes": 128 << 20}, Outcome.MEMORY),
        (
            "import os, time\n    while True:\n        if os.fork() == 0: time.sleep(100)",
            {"processes": 16},
            Outcome.PROCESS_LIMIT,
        ),
        ("while True: pass", {"case_timeout_s": 1.0}, Outcome.TIMED_OUT),
        ("import ctypes\n    ctypes.CDLL(None).unshare(0x10000000)", {}, Outcome.FORBIDDEN),
    ],
    ids=["kernel", "memory", "files", "processes", "time", "calls"],
)
def test_limits_hold(bench, body, limits, outcome):
    result = bench.one(f"def f():\n    {body}", **limits)
    assert result.outcome is outcome, result
    if outcome is Outcome.RETURNED:
        assert "gvisor" in result.value


REACHING = """
def f():
    reached = []
    for path, mode in (("version", "r"), ("meminfo", "r"), ("1/status", "r"), ("self/oom_score_adj", "r+")):
        try:
            open(f"/proc/{path}", mode).close()
        except OSError:
            continue
        reached.append(path)
    return reached
"""


@of_gvisor
def test_a_job_sees_its_own_processes_alone_and_writes_to_none(bench):
    assert bench.one(REACHING).value == "[]"
