"""Carries the connections of a job in gVisor's network to a socket of the host, where its way out is served.

It runs inside gVisor as the sandbox's own user, beside each program, and reads nothing of what it carries.
"""

from __future__ import annotations

import contextlib
import socket
import threading

_MOST = 64
_CHUNK = 1 << 16


def serve(listener: socket.socket, path: str) -> None:
    """Carry each connection to the socket at this path; does not return."""
    places = threading.BoundedSemaphore(_MOST)
    while True:
        inner, _ = listener.accept()
        if not places.acquire(blocking=False):
            inner.close()
            continue
        threading.Thread(target=_carry, args=(inner, path, places), daemon=True).start()


def _carry(inner: socket.socket, path: str, places: threading.BoundedSemaphore) -> None:
    try:
        with inner, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as outer, contextlib.suppress(OSError):
            outer.connect(path)
            back = threading.Thread(target=_pump, args=(outer, inner), daemon=True)
            back.start()
            _pump(inner, outer)
            back.join()
    finally:
        places.release()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
