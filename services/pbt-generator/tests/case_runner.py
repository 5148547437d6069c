"""Runs trusted test programs for the fake sandbox: one request on stdin, one answer on stdout. Tests only."""

import json
import os
import resource
import sys
import types

import touchstone_values as values


def main() -> None:
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
    failed = 0
    for text in request["inputs"]:
        try:
            arguments = values.decode(text)
            result = entry(*arguments) if isinstance(arguments, list) else entry(**arguments)
            outcomes.append(["returned", values.encode(result), "", ""])
        except SystemExit:
            outcomes.append(["exited", "", "", ""])
            break
        except BaseException as error:  # noqa: BLE001
            outcomes.append(["raised", "", type(error).__name__, str(error)[:500]])
        if outcomes[-1][0] != "returned":
            failed += 1
            if request["stop"] and failed >= request["stop"]:
                break
    usage = resource.getrusage(resource.RUSAGE_SELF)
    body = json.dumps({"outcomes": outcomes, "cpu_s": usage.ru_utime + usage.ru_stime}).encode("utf-8", "surrogatepass")
    # Opened only now: no program of a test can have written to it.
    with open(sys.argv[1], "wb") as stream:
        stream.write(body)
    os._exit(0)


main()
