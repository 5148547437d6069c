"""Shared by the programs that run inside the sandbox beside a rewritten ground truth.

Every name begins with `_ts_`, so that nothing of the program is shadowed. The text stands before the program, whose
statements may call what has probes while it loads; it is never imported by the service.
"""

# A text for the sandbox, not a module: its names are used by the texts that follow it.
# ruff: noqa: F401, ARG001, ARG005, E501
import dataclasses as _ts_dataclasses
import functools as _ts_functools
import io as _ts_io
import math as _ts_math
import signal as _ts_signal
import sys as _ts_sys
import zlib as _ts_zlib

_ts_SIMPLE = (str, int, float, bool, type(None))
_ts_format = format
_ts_join = "".join
_ts_repr, _ts_str, _ts_ascii = repr, str, ascii
_ts_ticks = 0
# What runs while the program loads is none of its calls.
_ts_limit = _ts_math.inf


class _TsBudget(BaseException):
    """A run took too many steps."""


class _TsGuard(BaseException):
    """A run held the processor for so long that it is given up; nothing is concluded from that."""


def _ts_t():
    global _ts_ticks
    _ts_ticks += 1
    if _ts_ticks > _ts_limit:
        raise _TsBudget


def _ts_k():
    _ts_t()
    return True


# What `functools.cache` and its like make of a function.
_ts_CACHED = type(_ts_functools.cache(len))


def _ts_forgetter(entry):
    """A function that empties the caches of the entry and its helpers: else one run would answer for the next."""
    found = [getattr(entry, "cache_clear", None), getattr(getattr(entry, "cache", None), "clear", None)]
    kinds = [kind for kind in globals().values() if isinstance(kind, type)]
    for value in [*globals().values(), *(member for kind in kinds for member in vars(kind).values())]:
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if type(function) is _ts_CACHED and function is not entry:
            found.append(function.cache_clear)
    clears = [clear for clear in found if callable(clear)]

    def forget():
        for clear in clears:
            clear()

    return forget


def _ts_text(value, depth=0):
    """A canonical text of a result, and whether five languages share it (0), Python's codec has it (1), or nobody (2)."""
    kind = type(value)
    if value is None or kind is bool:
        return repr(value), 0
    if kind is int:
        return repr(value), 0 if -(2**53) < value < 2**53 else 1
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return repr(value), 1
        return repr(value), 0
    if kind is float:
        return f"{value + 0.0:.7g}f", 0 if abs(value) <= 1e20 else 1
    if depth > 40:
        return "…", 2
    if kind in (list, tuple, set, frozenset, dict) and len(value) > 20000:
        return "…" * 30000, 1
    if kind in (list, tuple):
        parts = [_ts_text(item, depth + 1) for item in value]
        flag = max([part[1] for part in parts], default=0)
        return "[" + ",".join(part[0] for part in parts) + "]", max(flag, 1 if depth > 5 else 0)
    module = kind.__module__
    if kind is dict or (module == "collections" and kind.__name__ in ("Counter", "OrderedDict", "defaultdict")):
        parts = [(_ts_text(key, depth + 1), _ts_text(item, depth + 1)) for key, item in dict.items(value)]
        flag = max([max(key[1], item[1]) for key, item in parts], default=0)
        if any(type(key) not in (str, int) for key in dict.keys(value)):
            flag = max(flag, 1)
        return "{" + ",".join(sorted(f"{key[0]}:{item[0]}" for key, item in parts)) + "}", flag
    if kind in (set, frozenset):
        parts = [_ts_text(item, depth + 1) for item in value]
        return "<" + ",".join(sorted(part[0] for part in parts)) + ">", max([1, *[part[1] for part in parts]])
    if module.split(".")[0] in ("numpy", "pandas"):
        if getattr(value, "size", 0) > 20000:
            return "…" * 30000, 1
        if kind.__name__ == "ndarray":
            if value.dtype.kind == "O":
                return _ts_text(value.tolist(), depth + 1)[0], 1
            return f"{value.dtype.kind}{value.shape}{value.tolist()!r}", 1
        return repr(value) if kind.__name__ not in ("DataFrame", "Series") else value.to_csv(), 1
    if module in ("datetime", "decimal", "fractions", "pathlib", "builtins", "collections") and kind.__name__ in (
        "date", "datetime", "time", "timedelta", "Decimal", "Fraction", "PosixPath", "PurePosixPath", "complex", "bytes",
        "bytearray", "range", "deque", "PureWindowsPath",
    ):  # fmt: skip
        return repr(value), 1
    if (issubclass(kind, tuple) and hasattr(kind, "_fields")) or hasattr(kind, "__dataclass_fields__"):
        names = getattr(kind, "_fields", None)
        if names is None:
            names = [field.name for field in _ts_dataclasses.fields(kind) if field.compare]
        parts = [_ts_text(getattr(value, name), depth + 1) for name in names]
        return kind.__name__ + "(" + ",".join(part[0] for part in parts) + ")", max([1, *[part[1] for part in parts]])
    return kind.__name__, 2


def _ts_alarm(signum, frame):
    raise _TsGuard


def _ts_timer():
    """A guard around single calls: steps decide what a run is, this only keeps one call from holding up the rest."""
    try:
        _ts_signal.signal(_ts_signal.SIGVTALRM, _ts_alarm)
    except (ValueError, OSError, AttributeError):
        return lambda seconds: None
    return lambda seconds: _ts_signal.setitimer(_ts_signal.ITIMER_VIRTUAL, seconds)
