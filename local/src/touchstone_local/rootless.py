"""Run a program that refuses to be root, as root: `python -m touchstone_local.rootless PROGRAM ARGUMENTS…`.

PostgreSQL will not start under user id 0, and a fresh container often has only root. Instead of making a user and
opening folders to it, the program gets a user namespace of its own in which root is called `daemon`. Files keep
belonging to root outside, and nothing on the machine is changed.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000


def stand_in() -> tuple[int, int]:
    """User and group id of an ordinary account that every Linux system has a name for."""
    import pwd

    for name in ("daemon", "nobody"):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return account.pw_uid, account.pw_gid
    return 65534, 65534


def enter() -> None:
    """Move this process into a user namespace where root goes by another id.

    Raises:
        OSError: the kernel allows no user namespaces here.
    """
    uid, gid = stand_in()
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {outer_uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {outer_gid} 1")


def main() -> None:
    """Enter the namespace and become the program."""
    if os.geteuid() == 0:
        try:
            enter()
        except OSError as error:
            sys.stderr.write(f"user namespaces are not available ({error.strerror}); run as an ordinary user\n")
            raise SystemExit(77) from error
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
