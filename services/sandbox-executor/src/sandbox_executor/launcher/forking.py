"""Forks that cost little: a warm interpreter forks twice for each job, so every page that a fork touches counts."""

from __future__ import annotations

import ctypes
import os
import resource

_libc = ctypes.CDLL(None, use_errno=True)
# Holds the interpreter's lock across the call, as the fork of a single thread must.
_python = ctypes.PyDLL(None, use_errno=True)

_WORTHWHILE = (b"libpython", b"libc.so", b"libc-")
_PT_LOAD = 1
_PF_EXECUTE, _PF_WRITE, _PF_READ = 1, 2, 4
_PROT_READ, _PROT_WRITE, _PROT_EXECUTE = 1, 2, 4


def fork() -> int:
    """Fork this single-threaded process without the interpreter's hooks (locks, seeds, loggers), which touch much.

    Raises:
        OSError: the kernel refused.
    """
    child = _python.fork()
    if child < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"fork: {os.strerror(number)}")
    return child


class _ProgramHeader(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("virtual", ctypes.c_uint64),
        ("physical", ctypes.c_uint64),
        ("file_size", ctypes.c_uint64),
        ("memory_size", ctypes.c_uint64),
        ("alignment", ctypes.c_uint64),
    )


class _Loaded(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.POINTER(_ProgramHeader)),
        ("count", ctypes.c_uint16),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Loaded), ctypes.c_size_t, ctypes.c_void_p)


def share_code() -> int:
    """Have forks inherit the page tables of the code that is loaded; returns how many segments.

    The kernel copies page tables only of mappings that hold a private page; all others every fork faults in
    again, some hundred pages each time. So the mappings of the libraries that every fork uses get one private
    page each: their first byte is written with the value that it has. For further libraries it would cost more
    than it saves, since mappings with private pages take longer to copy.
    """
    size = resource.getpagesize()
    segments: list[tuple[int, int, int]] = []

    def note(loaded: ctypes._Pointer[_Loaded], _size: int, _data: int) -> int:
        library = loaded.contents
        # The program itself has no name.
        name = library.name or b"libpython"
        if not any(part in name for part in _WORTHWHILE):
            return 0
        for position in range(library.count):
            header = library.headers[position]
            if header.type == _PT_LOAD and not header.flags & _PF_WRITE:
                start = (library.address + header.virtual) // size * size
                end = -(-(library.address + header.virtual + header.memory_size) // size) * size
                segments.append((start, end - start, header.flags))
        return 0

    _libc.dl_iterate_phdr(_Callback(note), None)
    done = 0
    for start, length, flags in segments:
        kept = (_PROT_READ if flags & _PF_READ else 0) | (_PROT_EXECUTE if flags & _PF_EXECUTE else 0)
        place = ctypes.c_void_p(start), ctypes.c_size_t(length)
        if _libc.mprotect(*place, kept | _PROT_WRITE) == 0:
            first = ctypes.c_char.from_address(start)
            first.value = first.value
            done += 1
        _libc.mprotect(*place, kept)
    return done
