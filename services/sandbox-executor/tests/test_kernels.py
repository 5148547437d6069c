"""What is done otherwise where another kernel answers, or where the users are not the machine's."""

import pytest

from sandbox_executor.adapters.hosting import cgroups
from sandbox_executor.adapters.hosting.users import (
    FIRST_USER,
    USERS_PER_EXECUTOR,
    first_user,
    outside_user,
)
from sandbox_executor.adapters.local.backend import kernel_layer
from sandbox_executor.adapters.local.layers import Outside, read_probe
from sandbox_executor.errors import IsolationMissingError
from sandbox_executor.launcher.hiding import is_gvisor

MACHINE = "         0          0 4294967295\n"
POD = "         0     300000      65536\n"


def test_jobs_have_users_that_there_are():
    assert first_user(MACHINE, 3) == FIRST_USER + 3 * USERS_PER_EXECUTOR != first_user(MACHINE, 4)
    # A pod without users of the node has 65,536 and is alone with them.
    assert first_user(POD, 3) == 65536 - USERS_PER_EXECUTOR
    # Who is root of a user namespace with nobody else in it has no users for jobs, and needs none.
    assert first_user("0 1000 1\n", 3) == 1


@pytest.mark.parametrize(("users", "outside"), [(MACHINE, 0), (POD, 300000), ("5 6 7\n", -1), ("5 6 7\n0 9 1\n", 9)])
def test_who_root_is_outside_is_read_from_the_map(users, outside):
    assert outside_user(users) == outside


def test_gvisors_kernel_is_known_by_its_name_and_is_recent_enough():
    assert is_gvisor("4.19.0-gvisor") and not is_gvisor("6.18.44")
    layer = kernel_layer("4.19.0-gvisor")
    assert layer.in_force and "gVisor" in layer.detail
    assert not kernel_layer("4.19.0").in_force


def test_what_something_else_denies_is_not_called_landlock_where_there_is_none():
    outside = Outside(dict.fromkeys(("mnt", "pid", "net", "ipc", "uts", "cgroup"), "other"), True, True, 0, 1000, True)
    for abi in (0, 1):
        layers = read_probe({"sockets_denied": True, "landlock": True}, outside, "v2", rootless=False, abi=abi)
        assert layers[-1].name == "landlock" and layers[-1].in_force is (abi > 0)


def test_gvisors_cgroups_of_the_first_version_are_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "is_gvisor", lambda: True)
    mounts = "".join(
        f"none {tmp_path} cgroup rw,{name} 0 0\n" for name in ("cpu", "cpuacct", "devices", "memory", "pids")
    )
    with pytest.raises(IsolationMissingError, match=r"in-sandbox-cgroup.*dev\.gvisor"):
        cgroups.Cgroups(mounts, "5:memory:/\n")
    assert not list(tmp_path.iterdir())


def test_a_limit_of_memory_that_the_kernel_does_not_hold_is_no_layer_of_the_kernels(tmp_path, monkeypatch):
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids cpuset")
    made = {}
    for gvisor in (False, True):
        monkeypatch.setattr(cgroups, "is_gvisor", lambda gvisor=gvisor: gvisor)
        monkeypatch.setattr(cgroups, "_enable", lambda _root: None)
        made[gvisor] = cgroups.Cgroups(f"none {tmp_path} cgroup2 rw 0 0\n", "0::/\n", f"job-{gvisor}")
    assert made[False].holds_memory and not made[True].holds_memory
    assert "looking at it" in made[True].detail and "looking at it" not in made[False].detail
    for each in made.values():
        each.close()


def test_what_a_job_has_counts_whole_where_the_kernel_tells_cached_files_not_apart(tmp_path):
    (tmp_path / "memory.current").write_text("1000\n")
    job = cgroups._SecondVersion({"all": tmp_path}, ())
    assert job.memory() == 1000
    (tmp_path / "memory.stat").write_text("inactive_file 100\nactive_file 200\n")
    assert job.memory() == 700
