"""Runs trusted test programs for the fake sandbox: one request on stdin, one answer on stdout. Tests only."""

import ctypes
import json
import os
import resource
import signal
import sys
import types

import touchstone_values as values


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
    os.waitpid(child, 0)
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


def main() -> None:
    end_with_parent()
    request = json.load(sys.stdin)
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
    with open(sys.argv[1], "wb") as stream:
        stream.write(body)
    os._exit(0)


main()
