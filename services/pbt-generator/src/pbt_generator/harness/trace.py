"""Runs a package's own tests and doctests with its functions watched, and writes down how they were called.

A text for the sandbox: the service never imports it. It is started in a working folder that holds `plan.json` and
`tests.zip`, in an environment where the package is installed; it leaves `calls.json`. It shares a process with the
tests, so it promises nothing: whoever reads the file must take every line of it for hostile.
"""

# ruff: noqa: BLE001, S110, ARG001
import dis
import importlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import threading
import zipfile

from touchstone_values import UnportableError, dump, tree_of

_CALLS = 30  # Kept of one function.
_SEEN = 400  # Looked at, of one function.
_FUNCTIONS = 4000
_PART = 3000  # Characters of the arguments of a call, and of its result.
_ALL = 6 << 20  # Characters of everything.
_NODES = 300  # Values in the arguments of a call.
_KINDS = 6
_USAGE = 4  # What pytest ends with when it cannot begin.
# Flags of code objects: a function, `*args`, `**named`, generators and coroutines of all kinds.
_OPTIMIZED, _VARIADIC, _NAMED, _LATER = 0x1, 0x4, 0x8, 0x2A0


class Watch:
    """Keeps the calls of the functions that lie beneath one folder.

    Args:
        root: The folder of the installed package's environment, with a slash.
        tops: Names of the package's own folders and modules in it.
    """

    def __init__(self, root, tops):
        self.root = root
        self.tops = tops
        self.functions = {}
        self.open = {}
        self.room = _ALL
        self.first = self.problem = ""
        self.counts = {"passed": 0, "failed": 0, "skipped": 0, "errors": 0}
        # Who writes now and then must not write into what is written at the end.
        self.writing = threading.Lock()

    def place(self, code):
        """Where a code object lies in the package; empty for others."""
        if not code.co_filename.startswith(self.root):
            return ""
        inner = code.co_filename[len(self.root) :]
        parts = inner.split("/")
        if parts[0] not in self.tops or "tests" in parts or "test" in parts or parts[-1].startswith("test_"):
            return ""
        return inner

    def begin(self, code, frame):
        """Note a call; False when no more of this function's are wanted."""
        if code.co_flags & _LATER or not code.co_flags & _OPTIMIZED or code.co_name.startswith("<"):
            # Generators and coroutines answer later; bodies of classes, lambdas and comprehensions are no functions
            # that one calls by a name.
            return False
        entry = self.functions.get(code)
        if entry is None:
            inner = self.place(code)
            if not inner or len(self.functions) >= _FUNCTIONS:
                return False
            entry = self.functions[code] = {"file": inner, "name": code.co_qualname, "line": code.co_firstlineno,
                                            "seen": 0, "calls": {}, "kinds": {}}  # fmt: skip
        entry["seen"] += 1
        if entry["seen"] > _SEEN or len(entry["calls"]) >= _CALLS or self.room <= 0:
            return False
        if frame.f_back is not None and frame.f_back.f_code is code:
            # What a function hands to itself says nothing of its callers.
            return True
        text, owner = self.arguments(code, frame.f_locals, entry["kinds"])
        if text and text not in entry["calls"]:
            entry["calls"][text] = {"o": owner} if owner else {}
            self.open[id(frame)] = (code, text)
            self.room -= len(text)
        return True

    def end(self, frame, result, error):
        """Note how a call ended; `error` is what it raised, a word where that is not known, or None."""
        code, text = self.open.pop(id(frame), (None, ""))
        if code is None:
            return
        call = self.functions[code]["calls"][text]
        if error is not None:
            call["e"] = error if type(error) is str else type(error).__name__[:80]
            return
        try:
            answer = portable(result)
            if answer is not None:
                call["r"] = answer
                self.room -= len(answer)
                return
        except Exception:
            pass
        call["k"] = kind_of(result)

    def arguments(self, code, values, kinds):
        """All arguments as one portable text; empty where one has no portable form, which is counted by its kind.

        The object of a method is written as a map of what it holds, and named beside the text.
        """
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        more = count
        if code.co_flags & _VARIADIC:
            names.append(code.co_varnames[more])
            more += 1
        if code.co_flags & _NAMED and values.get(code.co_varnames[more]):
            return "", ""
        found, good, owner = {}, True, ""
        budget = [_NODES, _PART]
        method = names and code.co_qualname.rpartition(".")[0].rpartition(".")[2] not in ("", "<locals>")
        for name in names:
            value = values.get(name)
            try:
                known = kinds.setdefault(name, {})
                kind = kind_of(value)
                if kind in known or len(known) < _KINDS:
                    known[kind] = known.get(kind, 0) + 1
                if method and name == names[0] and isinstance(value, type):
                    # A class method brings its class.
                    continue
                if method and name == names[0] and is_object(value):
                    found[name], owner = fields_of(value, budget), name
                elif not small(value, budget):
                    good = False
                elif good:
                    given = list(value) if code.co_flags & _VARIADIC and name == names[-1] else value
                    found[name] = tree_of(given, whole=True)
            except Exception:
                good = False
        text = dump(found) if good else ""
        return (text, owner) if len(text) <= _PART else ("", "")

    def write(self):
        """Leave what is known so far."""
        with self.writing:
            functions = [
                {**entry, "calls": [{"a": text, **call} for text, call in list(entry["calls"].items())]}
                for entry in list(self.functions.values())
            ]
            with open("calls.part", "w", encoding="utf-8") as stream:
                json.dump(
                    {"tests": self.counts, "functions": functions, "first_error": self.first, "problem": self.problem},
                    stream,
                )
            os.replace("calls.part", "calls.json")


def portable(value):
    """The portable text of a value; None where it has none, or a long one."""
    if not small(value, [_NODES, _PART]):
        return None
    try:
        text = dump(tree_of(value))
    except UnportableError:
        return None
    return text if len(text) <= _PART else None


def is_object(value):
    """Whether a value holds fields of its own, and is nothing that has a form without them."""
    plain = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset)
    return not issubclass(type(value), plain) and type(getattr(value, "__dict__", None)) is dict


def fields_of(value, budget):
    """The fields of an object that have a short portable form, as trees by their names; others are left out."""
    found = {}
    for name, held in list(vars(value).items()):
        room = list(budget)
        try:
            if type(name) is str and name.isidentifier() and small(held, room):
                found[name] = tree_of(held, whole=True)
                budget[:] = room
        except Exception:
            continue
    return found


def small(value, budget, depth=0):
    """Whether a value is small enough to be written down; nothing of its own is called to find out."""
    budget[0] -= 1
    kind = type(value)
    if kind in (str, bytes, bytearray):
        budget[1] -= len(value)
    elif kind is int:
        budget[1] -= value.bit_length() // 3
    if budget[0] < 0 or budget[1] < 0 or depth > 12:
        return False
    if kind in (list, tuple, set, frozenset):
        return all(small(item, budget, depth + 1) for item in value)
    if kind is dict:
        return all(small(key, budget, depth + 1) and small(item, budget, depth + 1) for key, item in value.items())
    if kind.__module__.split(".")[0] in ("numpy", "pandas"):
        return getattr(value, "size", 0) <= _NODES
    return True


def kind_of(value):
    """The name of a value's type, with its module where it is no built-in."""
    kind = type(value)
    module = str(kind.__module__)
    return (kind.__name__ if module == "builtins" else f"{module}.{kind.__qualname__}")[:80]


def watch_calls(watch):
    """Have every call told, by the monitoring of the interpreter, or by a profile function where it has none."""
    get = sys._getframe
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        quiet = set()

        def profile(frame, event, given):
            if event == "call":
                if frame.f_code not in quiet and not watch.begin(frame.f_code, frame):
                    quiet.add(frame.f_code)
            elif event == "return" and id(frame) in watch.open:
                code = frame.f_code
                # A call that ends by an exception is told as one that returned nothing.
                returned = dis.opname[code.co_code[frame.f_lasti]] == "RETURN_VALUE"
                watch.end(frame, given, None if returned else "raised")

        threading.setprofile(profile)
        sys.setprofile(profile)
        return
    tool = next(number for number in (4, 3, 5, 2) if monitoring.get_tool(number) is None)
    events = monitoring.events
    monitoring.use_tool_id(tool, "calls")

    def start(code, offset):
        return None if watch.begin(code, get(1)) else monitoring.DISABLE

    def give(code, offset, value):
        if code not in watch.functions:
            return monitoring.DISABLE
        watch.end(get(1), value, None)
        return None

    def unwind(code, offset, error):
        if watch.open:
            watch.end(get(1), None, error)

    monitoring.register_callback(tool, events.PY_START, start)
    monitoring.register_callback(tool, events.PY_RETURN, give)
    monitoring.register_callback(tool, events.PY_UNWIND, unwind)
    monitoring.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_UNWIND)


def own_places(name):
    """The folder of a distribution, and its own folders and modules at the top of it."""
    found = importlib.metadata.distribution(name)
    root = str(found.locate_file("")).rstrip("/") + "/"
    tops = set()
    for file in found.files or ():
        if file.suffix == ".py" and ".." not in file.parts:
            tops.add(file.parts[0])
    return root, tops


def lay_out(folder, root, tops):
    """Unpack the tests; those that lie inside of the package become a part of the installed one."""
    with zipfile.ZipFile("tests.zip") as archive:
        for member in archive.namelist():
            parts = member.split("/")
            inside = next((at for at, part in enumerate(parts[:-1]) if part in tops), None)
            if inside is not None and os.path.exists(root + "/".join(parts[inside:])):
                continue
            archive.extract(member, folder)
            if inside is not None:
                join(folder, parts, inside)


def join(folder, parts, inside):
    """Let the folders between the package and a test file of its own be found as parts of the installed package."""
    for end in range(inside + 1, len(parts)):
        place = os.path.join(folder, *parts[:end])
        module = ".".join(parts[inside:end])
        try:
            package = importlib.import_module(module)
        except BaseException:
            return
        folders = getattr(package, "__path__", None)
        if folders is None:
            # A folder of files beside a module of the same name.
            return
        if place not in folders:
            folders.append(place)
            if not os.path.exists(os.path.join(place, "__init__.py")):
                with open(os.path.join(place, "__init__.py"), "w", encoding="utf-8"):
                    pass


class Report:
    """Counts what became of the tests."""

    def __init__(self, counts):
        self.counts = counts
        self.first = ""
        self.broken = set()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.counts[report.outcome if report.outcome in self.counts else "failed"] += 1

    def pytest_collectreport(self, report):
        if report.outcome == "failed":
            # A file is collected twice: for its tests, and for its doctests.
            self.broken.add(report.nodeid)
            self.counts["errors"] = len(self.broken)
            lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            self.first = self.first or (lines[-1] if lines else str(report.longrepr).strip().rpartition("\n")[2])


def main():
    with open("plan.json", encoding="utf-8") as stream:
        plan = json.load(stream)
    sys.dont_write_bytecode = True
    root, tops = own_places(plan["distribution"])
    watch = Watch(root, tops)
    over = threading.Event()

    def leave():
        # What runs too long ends here, with what was seen so far.
        while not over.wait(plan["write_s"]):
            watch.write()

    def stop():
        watch.write()
        os._exit(0)

    folder = os.path.abspath("tree")
    os.makedirs(folder)
    lay_out(folder, root, tops)
    with open("pytest.ini", "w", encoding="utf-8") as stream:
        stream.write("[pytest]\nasyncio_mode = auto\n")
    import pytest

    # The tests' time begins here: what it takes to start is not theirs.
    threading.Thread(target=leave, daemon=True).start()
    timer = threading.Timer(plan["most_s"], stop)
    timer.daemon = True
    timer.start()
    watch_calls(watch)
    # The folders of the archive one by one: settings of a whole run are taken from the tests of a folder that is named.
    laid = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    own = [root + top for top in sorted(tops)]
    arguments = ["-q", "-c", os.path.abspath("pytest.ini"), "--rootdir", folder, "-p", "no:cacheprovider",
                 "-W", "ignore", "--continue-on-collection-errors", "--doctest-modules",
                 "--doctest-continue-on-failure", "--capture", "fd", "--tb", "no"]  # fmt: skip
    report = Report(watch.counts)
    try:
        code = pytest.main([*arguments, *laid, *own], plugins=[report])
        if code == _USAGE:
            # Settings of a whole run that cannot be loaded end it; beneath another folder they are those of a part.
            code = pytest.main([*arguments, folder, *own], plugins=[report])
        watch.first = report.first
        watch.problem = f"tests were not run: pytest ended with code {int(code)}" if code == _USAGE else ""
    finally:
        over.set()
        stop()


try:
    main()
except Exception as error:
    # Whoever reads it shall know why nothing ran.
    with open("calls.json", "w", encoding="utf-8") as stream:
        json.dump({"problem": f"tests were not run: {type(error).__name__}: {error}"}, stream)
