"""A warm interpreter that forks one sandbox for each message.

It runs inside the private root (see `root.py`) with everything imported that candidates often need. It
never sees a candidate: sources travel past it, into the forked sandbox.
"""

from __future__ import annotations

# The module behind `signal`, without the enumerations that make a fork touch many pages.
import _signal  # pyright: ignore[reportMissingImports]
import gc
import importlib
import os
import random
import signal
import site
import socket
import sys

from sandbox_executor.launcher import forking, init, landlock, messages, seccomp
from sandbox_executor.launcher.messages import Failed, Forked, Plan, Ready, WarmUp
from sandbox_executor.launcher.syscalls import CLONE_NEWPID, PR_SET_PDEATHSIG, drop_bounding_set, prctl, setns, unshare


def preload(modules: tuple[str, ...]) -> list[str]:
    """Import what candidates need; returns what was there."""
    loaded: list[str] = []
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        loaded.append(name)
    return loaded


def settle() -> None:
    """Bring the interpreter into the state that every candidate shall find."""
    # This interpreter has begun without `site`, which gives every program these names.
    site.setquit()
    site.setcopyright()
    site.sethelper()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)
    gc.collect()
    # What is here now is shared by all forks: the collector must not touch (and so copy) it.
    gc.freeze()
    forking.share_code()
    # Bounds what a program can regain, not what this one has; set once here instead of in every fork.
    drop_bounding_set()


def serve(options: WarmUp, kind: type[init.Sandbox] = init.Sandbox) -> init.Sandbox | None:
    """Fork a sandbox for each message; returns only in a fork (with its sandbox) or when the executor is gone.

    Args:
        options: What the executor says once: its control socket, what to preload, the network.
        kind: How a sandbox sets itself up.
    """
    control = socket.socket(fileno=options.control)
    me = os.pidfd_open(os.getpid())
    code = seccomp.compiled(network=options.network)
    reaching = seccomp.compiled(egress=True)
    abi = landlock.version()
    sys.path.append(options.site)
    preload(options.preload)
    settle()
    messages.send(control, Ready(abi))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            received = messages.receive(control, Plan)
        except messages.MalformedMessageError as error:
            messages.send(control, Failed(str(error)))
            continue
        if received is None:
            return None
        plan, descriptors, _ = received
        try:
            # A process may leave its PID namespace for its children once: go home before every fork.
            setns(me, CLONE_NEWPID)
            unshare(CLONE_NEWPID)
            child = forking.fork()
        except OSError as error:
            setns(me, CLONE_NEWPID)
            messages.send(control, Failed(str(error)))
            messages.close(descriptors)
            continue
        if child == 0:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            control.close()
            os.close(me)
            _signal.signal(signal.SIGCHLD, 0)
            return kind(plan, descriptors, reaching if plan.egress else code, abi)
        setns(me, CLONE_NEWPID)
        handle = os.pidfd_open(child)
        messages.send(control, Forked(), [handle])
        messages.close([handle, *descriptors])


def main(kind: type[init.Sandbox] = init.Sandbox) -> None:
    """Serve; in a fork, be the sandbox's init; in a fork of that, be the candidate."""
    # It was there to find this program; a candidate's own interpreters shall not inherit it.
    del os.environ["PYTHONPATH"]  # noqa: TID251
    sandbox = serve(messages.parse(sys.argv[1], WarmUp), kind)
    if sandbox is None:
        os._exit(0)
    # The candidate's program runs from here, with nothing of the launcher below it on the stack.
    program = sandbox.serve()
    del sandbox
    # Forking gave it a fresh seed; a candidate's chances shall be the same in every run.
    random.seed(0)
    program()


if __name__ == "__main__":
    main()
