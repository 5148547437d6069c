"""Builds the file system that every job sees, then starts the zygote inside it.

Run as `python -m sandbox_executor.launcher.root DESCRIPTOR` with a JSON description on that descriptor; the
zygote's control socket is inherited. The process leaves the host's mounts behind: what is not named here does
not exist inside.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sandbox_executor.launcher.messages import RootPlan, parse
from sandbox_executor.launcher.syscalls import (
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    PR_SET_PDEATHSIG,
    bind,
    mount,
    pivot_root,
    prctl,
    unmount,
    unshare,
)

DEVICES = ("null", "zero", "full", "random", "urandom")
# Folders that each job covers with its own file systems.
PER_JOB = ("proc", "work", "tmp", "dev/shm", "runtime/environment", "data")
# Where users are those of the machine.
_ALL_USERS = ["0", "0", "4294967295"]
_KEPT_FLAGS = {8: MS_NOEXEC, 1024: 1024, 2048: 2048, 4096: 1 << 21}


def main() -> None:
    """Build the root and become the zygote."""
    with os.fdopen(int(sys.argv[1])) as stream:
        plan = parse(stream.read(), RootPlan)
    prctl(PR_SET_PDEATHSIG, 9)
    if plan.user_namespace:
        enter_user_namespace()
    unshare(CLONE_NEWNS)
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    build(plan)
    # Without site, and with exactly these variables: nothing of the host decides what the zygote imports.
    arguments = [
        plan.python,
        "-S",
        "-s",
        "-P",
        "-B",
        "-X",
        "utf8",
        plan.program,
        plan.options,
    ]
    os.execve(plan.python, arguments, dict(plan.environment))


def enter_user_namespace() -> None:
    """Become root of a new user namespace that knows this user only, and of a PID namespace in it.

    The zygote goes back to its own PID namespace after each fork, which it may do only where that namespace
    belongs to its user namespace.
    """
    user, group = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | CLONE_NEWPID)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    child = os.fork()
    if child == 0:
        prctl(PR_SET_PDEATHSIG, 9)
        return
    os.closerange(3, 4096)
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def build(plan: RootPlan) -> None:
    """Make the new root, go there, and let go of the old one."""
    root = Path(plan.mountpoint)
    mount("tmpfs", str(root), "tmpfs", MS_NOSUID, "mode=0755,size=4m")
    for name in (*PER_JOB, "old", "etc", "runtime"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for source, target in plan.binds:
        _bind_read_only(source, root / target.lstrip("/"))
    for name in DEVICES:
        (root / "dev" / name).touch()
        bind(f"/dev/{name}", str(root / "dev" / name))
    for target, source in plan.symlinks:
        (root / target.lstrip("/")).symlink_to(source)
    for target, content in plan.files.items():
        path = root / target.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    # Prepared dependencies: root's alone; each job binds its own out of here and loses sight of the rest.
    (root / "environments").mkdir(mode=0o700)
    bind(plan.environments, str(root / "environments"))
    # The same for views of datasets.
    (root / "datasets").mkdir(mode=0o700)
    bind(plan.views, str(root / "datasets"))
    if Path("/proc/self/uid_map").read_text().split() != _ALL_USERS:
        # The kernel lets a user namespace, a pod's too, mount a new /proc only where it sees one already.
        mount("/proc", str(root / "proc"), "", MS_BIND | MS_REC)
    pivot_root(str(root), str(root / "old"))
    os.chdir("/")
    unmount("/old")
    Path("/old").rmdir()
    mount("none", "/", "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID)


def _bind_read_only(source: str, target: Path) -> None:
    if os.path.isdir(source):
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    flags = MS_RDONLY | MS_NOSUID | MS_NODEV
    present = os.statvfs(source).f_flag
    # A user namespace may add flags to a mount, but not take any away.
    for seen, flag in _KEPT_FLAGS.items():
        if present & seen:
            flags |= flag
    bind(source, str(target), flags)


if __name__ == "__main__":
    main()
