"""Runs trusted test programs for the fake sandbox: forks for each request, which names the file for the answer.

Started once for each seed of hashes: what a program's process needs is imported already when it begins. Tests only.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import types

import touchstone_values as values

# Processes of programs that end take a fifth of a second here.
CPU_S = 4


def end_with_parent():
    """Have the kernel end this process when its parent ends: a test run that is killed leaves nothing that computes."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def in_child(entry, inputs, stop):
    """Outcomes of the first cases, as far as the child lived; a last None says that enough of them failed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        end_with_parent()
        os.close(reader)
        with os.fdopen(writer, "w", encoding="utf-8", errors="surrogatepass") as stream:
            failed = 0
            for text in inputs:
                outcome = one_case(entry, text)
                failed += outcome[0] != "returned"
                stream.write(json.dumps(outcome) + "\n")
                stream.flush()
                if stop and failed >= stop:
                    stream.write("null\n")
                    break
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8", errors="surrogatepass") as stream:
        answered = [json.loads(line) for line in stream]
    if took_too_long(os.waitpid(child, 0)):
        os.kill(os.getpid(), signal.SIGXCPU)
    return answered


def one_case(entry, text):
    """Outcome, value, type and message of the error of one call."""
    try:
        arguments = values.decode(text)
        result = entry(*arguments) if isinstance(arguments, list) else entry(**arguments)
        return ["returned", values.encode(result), "", ""]
    except SystemExit:
        os._exit(1)
    except BaseException as error:  # noqa: BLE001
        return ["raised", "", type(error).__name__, str(error)[:500]]


def next_request(listener):
    """The request of a connection, in a process of its own; the one that listens never returns.

    The connection is told the process, which leads a group, and closed when that has ended; before, whether for time.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        end_with_parent()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        with connection:
            request = json.loads(connection.makefile("rb").read())
            child = os.fork()
            if child:
                try:
                    connection.sendall(b"%d\n" % child)
                    if took_too_long(os.waitpid(child, 0)):
                        connection.sendall(b"too long")
                finally:
                    os._exit(0)
        end_with_parent()
        os.setpgid(0, 0)
        return request


def took_too_long(ended):
    """Whether a process, as `waitpid` gives it, was ended for what it computed."""
    return os.WIFSIGNALED(ended[1]) and os.WTERMSIG(ended[1]) == signal.SIGXCPU


def main(request) -> None:
    # Time of the processor: what never ends is ended early, and a busy machine ends nothing else.
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(2, 1)
    module = types.ModuleType("candidate")
    sys.modules["candidate"] = module
    outcomes = []
    try:
        exec(compile(request["source"], "candidate.py", "exec", dont_inherit=True), module.__dict__)
        entry = getattr(module, request["entry_point"])
    except BaseException as error:  # noqa: BLE001
        outcomes = [["raised", "", type(error).__name__, str(error)]] * len(request["inputs"])
        request["inputs"] = []
    remaining = request["inputs"]
    while remaining:
        answered = in_child(entry, remaining, request["stop"])
        stopped = answered and answered[-1] is None
        outcomes += [outcome for outcome in answered if outcome is not None]
        if stopped:
            break
        remaining = remaining[len(answered) :]
        if remaining:
            # As in the real sandbox, a case that ends the process costs the others nothing.
            outcomes.append(["exited", "", "", ""])
            remaining = [] if request["stop"] else remaining[1:]
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    body = json.dumps({"outcomes": outcomes, "cpu_s": sum(usage.ru_utime + usage.ru_stime for usage in used)}).encode(
        "utf-8", "surrogatepass"
    )
    # Opened only now: no program of a test can have written to it.
    with open(request["answer"], "wb") as stream:
        stream.write(body)
    os._exit(0)


end_with_parent()
main(next_request(socket.socket(fileno=int(sys.argv[1]))))
