"""Landlock: what a process may do with files, sockets and signals, whatever its mounts and user allow."""

from __future__ import annotations

import ctypes
import os
import struct

from sandbox_executor.launcher.syscalls import syscall

_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_RULE_PATH_BENEATH = 1
_GET_VERSION = 1

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
# Rights that came with later versions of the interface: REFER (2), TRUNCATE (3), IOCTL_DEV (5).
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FILE_RIGHTS = (1 << 16) - 1
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15
_NET_ALL = 0b11
_SCOPE_ALL = 0b11


def version() -> int:
    """The interface's version; 0 when the kernel has none."""
    try:
        return syscall("landlock", _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_GET_VERSION))
    except OSError:
        return 0


class Ruleset:
    """Rules prepared once, applied by every process after its fork; needs no_new_privs.

    Args:
        abi: The kernel's version of the interface, at least 1.
        network: TCP ports may be bound and connected to.
    """

    def __init__(self, abi: int, *, network: bool = False) -> None:
        self._files = _FILE_RIGHTS.get(abi, _ALL_FILE_RIGHTS)
        attributes = struct.pack("=Q", self._files)
        if abi >= 4:
            # No TCP port may be bound or connected to.
            attributes += struct.pack("=Q", 0 if network else _NET_ALL)
        if abi >= 6:
            # No abstract socket and no signal reaches out of the sandbox.
            attributes += struct.pack("=Q", _SCOPE_ALL)
        self._descriptor = syscall(
            "landlock_create_ruleset", _CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
        )
        self.readable = self._files & (_EXECUTE | _READ_FILE | _READ_DIR)
        self.device = self._files & (_READ_FILE | _WRITE_FILE | _TRUNCATE)
        self.writable = self._files & ~_IOCTL_DEV

    def allow(self, path: str, rights: int) -> None:
        """Allow these rights beneath a path; one that does not exist is skipped."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            rule = struct.pack("=Qi", rights, descriptor)
            syscall(
                "landlock_add_rule",
                _ADD_RULE,
                ctypes.c_int(self._descriptor),
                ctypes.c_int(_RULE_PATH_BENEATH),
                rule,
                ctypes.c_uint32(0),
            )
        finally:
            os.close(descriptor)

    def close_after(self, count: int) -> None:
        """Close every descriptor from this number on, except the rules'."""
        self._descriptor = os.dup2(self._descriptor, count, inheritable=False)
        os.closerange(count + 1, 4096)

    def restrict(self) -> None:
        """Hold this process to the rules from here on."""
        syscall("landlock_restrict_self", _RESTRICT_SELF, ctypes.c_int(self._descriptor), ctypes.c_uint32(0))
        os.close(self._descriptor)
