"""The system calls that Python has no functions for, by ctypes; every fault is an OSError that names the call."""

from __future__ import annotations

import ctypes
import os
import platform

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2

LAST_CAPABILITY = 40
CAP_KILL = 5
CAP_SETGID = 6
CAP_SETUID = 7

_ARM = platform.machine() == "aarch64"
_SYS_PIVOT_ROOT = 41 if _ARM else 155
_SYS_CAPSET = 91 if _ARM else 126


def _check(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def syscall(name: str, number: int, *arguments: object) -> int:
    """Make a system call by number.

    Raises:
        OSError: it failed.
    """
    return _check(_libc.syscall(ctypes.c_long(number), *arguments), name)


def unshare(flags: int) -> None:
    """Leave the namespaces that the flags name."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """Join a namespace."""
    _check(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    """Mount; an empty kind means none."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None
    )
    _check(result, f"mount {source} on {target}")


def bind(source: str, target: str, flags: int = 0) -> None:
    """Bind a file or folder, then narrow it: flags of a bind mount take effect on the second call only."""
    mount(source, target, "", MS_BIND)
    if flags:
        mount("none", target, "", MS_BIND | MS_REMOUNT | flags)


def unmount(target: str) -> None:
    """Detach a mount."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    """Exchange the root of the file system."""
    syscall("pivot_root", _SYS_PIVOT_ROOT, new.encode(), old.encode())


def prctl(option: int, argument: int, name: str = "prctl", pointer: object = 0) -> None:
    """Set a property of this process."""
    _check(_libc.prctl(option, argument, pointer, 0, 0), name)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def drop_bounding_set() -> None:
    """Have no program that is executed from here on gain a capability."""
    for capability in range(LAST_CAPABILITY + 1):
        # A kernel with fewer capabilities refuses the numbers that it does not know: nothing to drop.
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def keep_capabilities(*kept: int) -> None:
    """Give up every capability but these, for good."""
    low = sum(1 << capability for capability in kept)
    data = (_CapabilityData * 2)(_CapabilityData(low, low, 0), _CapabilityData(0, 0, 0))
    header = _CapabilityHeader(0x20080522, 0)
    syscall("capset", _SYS_CAPSET, ctypes.byref(header), ctypes.byref(data))
