"""The Python side of the harness protocol (`docs/harness-protocol.md`); also runs whole programs.

It shares a process with the candidate, so it promises nothing: it only has to serve an honest one well.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import struct
import sys
import types

import touchstone_values

_TEXT = 2000
_NAME = 200


class EntryPointError(Exception):
    """The candidate has no such entry point."""


def serve_cases(requests: int, responses: int) -> None:
    """Load the candidate, then answer one frame for each request until the pipe ends."""
    # Whatever the candidate replaces later, these names stay what they are now.
    read, write, end, loads, me, owner = os.read, os.write, os._exit, json.loads, os.getpid, os.getpid()
    encode, build = touchstone_values.encode, touchstone_values.build
    unportable, dumps = touchstone_values.UnportableError, json.dumps
    out, err, suppress = sys.stdout, sys.stderr, contextlib.suppress
    buffer = bytearray()
    requests, responses = os.dup(requests), os.dup(responses)
    os.close(3)
    os.close(4)

    def next_frame() -> bytes | None:
        while True:
            if len(buffer) >= 4:
                size = int.from_bytes(buffer[:4], "big")
                if len(buffer) >= 4 + size:
                    frame = bytes(buffer[4 : 4 + size])
                    del buffer[: 4 + size]
                    return frame
            chunk = read(requests, 1 << 16)
            if not chunk:
                return None
            buffer.extend(chunk)

    def answer(text: str) -> None:
        data = text.encode("utf-8", "replace")
        view = memoryview(struct.pack(">I", len(data)) + data)
        while view:
            view = view[write(responses, view) :]

    def flush() -> None:
        for stream in (sys.stdout, sys.stderr, out, err):
            # A candidate's stream may do anything.
            with suppress(Exception):
                stream.flush()

    def fault(error: BaseException) -> tuple[str, str]:
        try:
            kind = type(error).__name__[:_NAME]
            words = str(error)[:_TEXT]
        except Exception:  # noqa: BLE001  a candidate's exception may do anything
            return "Exception", "its message cannot be read"
        return str(kind), str(words)

    first = next_frame()
    if first is None:
        end(0)
    order = loads(first)
    try:
        call = load(order["source"], order["entry"])
    except SystemExit as error:
        flush()
        end(exit_code(error))
    except BaseException as error:  # noqa: BLE001  any failure to load is the candidate's answer
        flush()
        kind, words = fault(error)
        answer(f'{{"o":"load_error","t":{dumps(kind)},"m":{dumps(words)}}}')
        end(0)
    answer('{"o":"ready"}')
    while True:
        frame = next_frame()
        if frame is None:
            end(0)
        request = loads(frame)
        index, given = request["i"], request["args"]
        try:
            arguments = build(given)
            result = call(*arguments) if type(arguments) is list else call(**arguments)
            text = f'{{"i":{index},"o":"returned","v":{encode(result)}}}'
        except SystemExit as error:
            flush()
            end(exit_code(error))
        except unportable as error:
            text = f'{{"i":{index},"o":"raised","t":"UnportableError","m":{dumps(str(error)[:_TEXT])}}}'
        except BaseException as error:  # noqa: BLE001  whatever the candidate raises is its answer
            kind, words = fault(error)
            text = f'{{"i":{index},"o":"raised","t":{dumps(kind)},"m":{dumps(words)}}}'
        arguments = result = None
        flush()
        if me() != owner:
            # A child that the candidate forked and that came back here: only the parent answers.
            end(0)
        answer(text)


def load(path: str, entry: str) -> object:
    """Execute the candidate as a module and find its entry point.

    Raises:
        EntryPointError: there is none, or it cannot be called.
    """
    with open(path, encoding="utf-8") as stream:
        source = stream.read()
    module = types.ModuleType("candidate")
    module.__file__ = path
    sys.modules["candidate"] = module
    sys.path.insert(0, "/work")
    sys.argv = [path]
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    found: object = module
    names = entry.split(".")
    for place, name in enumerate(names):
        if isinstance(found, type):
            member = member_of(found, name)
            if not isinstance(member, (staticmethod, classmethod, type)):
                found = of_new_instances(found, names[place:], member, f"{entry}; it has {names_of(module)}")
                break
        found = part_of(found, name, f"{entry}; it has {names_of(module)}")
    if not callable(found):
        raise EntryPointError(f"{entry} cannot be called")
    return found


def member_of(kind: type, name: str) -> object:
    """What stands in a class, or in the classes that it comes from, by this name; None where nothing does."""
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def part_of(holder: object, name: str, words: str) -> object:
    """What an object has by this name.

    Raises:
        EntryPointError: nothing; `words` name the entry point and what the candidate has.
    """
    try:
        return getattr(holder, name)
    except AttributeError:
        raise EntryPointError(f"the candidate defines no {words}") from None


def of_new_instances(kind: type, names: list[str], member: object, words: str) -> object:
    """What calls a method of a new instance for each case, so that no case sees what the one before set up."""

    def found() -> object:
        instance: object = kind()
        for name in names:
            instance = part_of(instance() if isinstance(instance, type) else instance, name, words)
        return instance

    if len(names) > 1 or member is None or not isinstance(member, types.FunctionType):
        # Only an instance tells whether there is one.
        made = found()
        if not callable(made):
            return made
    return lambda *given, **named: found()(*given, **named)  # type: ignore[operator]


def names_of(module: types.ModuleType) -> str:
    """The functions and classes that a candidate defines, in words."""
    found: list[str] = []
    for name, item in list(module.__dict__.items()):
        kind = type(item)
        if kind is types.FunctionType and item.__module__ == "candidate":
            found.append(name)
        elif kind is type and item.__module__ == "candidate":
            found += [
                f"{name}.{inner}"
                for inner, method in list(vars(item).items())
                if callable(method) and inner[:2] != "__"
            ]
    return ", ".join(found[:20]) or "no functions"


def exit_code(error: SystemExit) -> int:
    """The exit code that Python gives for this."""
    code = error.code
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def run_program(arguments: list[str], environment: dict[str, str]) -> None:
    """Run a file as `python FILE ...` would, in this warm interpreter; ends as the program ends."""
    # In the sandbox: these are the candidate's own variables.
    os.environ.clear()  # noqa: TID251
    os.environ.update(environment)  # noqa: TID251
    sys.argv = list(arguments)
    sys.path.insert(0, "/work")
    module = types.ModuleType("__main__")
    module.__file__ = arguments[0]
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    with open(arguments[0], encoding="utf-8-sig") as stream:
        source = stream.read()
    try:
        exec(compile(source, arguments[0], "exec", dont_inherit=True), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  reported as the interpreter itself would
        # Without the frame of this function: the program shall look as if it had been started alone.
        trace = error.__traceback__
        error.__traceback__ = trace.tb_next if trace is not None else None
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(1) from None
