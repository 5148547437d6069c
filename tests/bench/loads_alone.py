"""Every function classed SC, loaded alone in an empty module and called; WSC ones and slices with their imports.

    python tests/bench/loads_alone.py [--each N] [--slices] [PACKAGE ...]

In the sandbox, for the newest release of each package (needs the package index). A name that nothing defines shows as
NameError, at loading or in one of ten calls with plain values; both counts must be 0. What
else a function raises is its own affair: `other` counts those that do not load for another reason, for example a
library that is not in the sandbox. Prints JSON lines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator

from newest import PACKAGES, InMemory, newest

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.libraries import default_libraries
from ingester.domain.packages import Package
from touchstone_cli.sandbox_server import sandbox
from touchstone_cli.services import Service

BATCH = 400
PROBE = """
import builtins, inspect, signal


class Late(BaseException):
    pass


def late(*_):
    raise Late


def probe(imports, code, name):
    space = {"__name__": "alone", "__builtins__": builtins}
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        # One text: an import from the future concerns what stands in the same one.
        exec(compile("\\n".join([*imports, code]), "alone", "exec", dont_inherit=True), space)
    except NameError as error:
        return "load: " + str(error)
    except BaseException as error:
        return "other: " + type(error).__name__ + ": " + str(error)[:100]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    function = space.get(name)
    try:
        function = inspect.unwrap(function)
        parameters = inspect.signature(function).parameters.values()
    except Exception:
        return ""
    required = [each for each in parameters if each.default is each.empty]
    place = [each for each in required if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    named = [each.name for each in required if each.kind == each.KEYWORD_ONLY]
    for value in (None, 0, 3, -2.5, "text", "", b"ab", [1, 2], ["a", "b"], {"a": 1}):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            result = function(*[value] * len(place), **dict.fromkeys(named, value))
            if inspect.isgenerator(result):
                next(result, None)
            elif inspect.iscoroutine(result):
                result.close()
        except UnboundLocalError:
            pass
        except NameError as error:
            return "call: " + str(error)
        except BaseException:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return ""
"""


def functions(name: str, *, slices: bool) -> Iterator[FoundFunction]:
    """The functions of a package's newest release that are classed SC or WSC, and the slices."""
    with newest(name) as (_, opened):
        files = {file.path: file.content for file in opened}
        package = Package(InMemory(files), default_libraries())
        for path, content in files.items():
            for found in analyse_file(content, path, sketch=False, package=package).functions:
                wanted = found.form == "slice" if slices else found.form != "class"
                if wanted and found.classification in ("SC", "WSC"):
                    yield found


def probe(service: Service, batch: list[FoundFunction], count: Counter[str], listed: list[str]) -> None:
    """Load and call a batch of functions, each in a module of its own."""
    messages = service.messages
    # A record of an SC function lists no imports that its code needs.
    inputs = [
        json.dumps([list(found.imports) if found.classification == "WSC" else [], found.code, found.name])
        for found in batch
    ]
    limits = messages.Limits(case_timeout_s=5, total_timeout_s=300, memory_bytes=1 << 30)
    request = messages.RunCasesRequest(
        language=messages.LANGUAGE_PYTHON, source=PROBE, entry_point="probe", inputs=inputs, limits=limits
    )
    for found, result in zip(batch, service.stream("RunCases", request, timeout_s=400), strict=True):
        count["slice" if found.form == "slice" else found.classification] += 1
        if result.value:
            words = str(json.loads(result.value))
            kind = words.partition(":")[0]
            count[{"load": "load_name_errors", "call": "call_name_errors", "other": "other"}.get(kind, "held")] += 1
            if kind in ("load", "call"):
                listed.append(f"{found.classification} {found.path}::{found.qualname} {words}")
        else:
            count["ended_its_process"] += 1


def main() -> None:
    """Probe every package and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--each", type=int, default=0, help="at most so many functions of a package; 0: all")
    parser.add_argument("--slices", action="store_true", help="slices alone")
    asked = parser.parse_args()
    total = Counter[str]()
    with sandbox() as service:
        for name in asked.packages:
            count, listed, batch = Counter[str](), list[str](), list[FoundFunction]()
            for number, found in enumerate(functions(name, slices=asked.slices)):
                if asked.each and number >= asked.each:
                    break
                batch.append(found)
                if len(batch) == BATCH:
                    probe(service, batch, count, listed)
                    batch = []
                    sys.stderr.write(f"\r{name}: {number + 1} ")
            if batch:
                probe(service, batch, count, listed)
            total += count
            print(json.dumps({"package": name, **dict(sorted(count.items()))}), flush=True)
            for line in listed:
                print(json.dumps({"name_error": line}), flush=True)
    errors = {"load_name_errors": 0, "call_name_errors": 0}
    print(json.dumps({"bench": "loads_alone", **errors, **dict(sorted(total.items()))}))


if __name__ == "__main__":
    main()
