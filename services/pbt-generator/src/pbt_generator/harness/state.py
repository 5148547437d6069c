"""What the next round of a loop depends on: the variables of its function, and what they and its code reach."""

# A text for the sandbox, not a module: it stands behind `common.py`, and `mutate.py` asks it.
# ruff: noqa: F821
import enum as _ts_enum
import marshal as _ts_marshal
import re as _ts_re
import types as _ts_types

# Modules whose functions keep nothing from one call to the next.
_ts_STEADY = {
    "abc", "binascii", "bisect", "builtins", "cmath", "collections", "copy", "enum", "fnmatch", "functools", "heapq",
    "html", "itertools", "json", "keyword", "math", "ntpath", "operator", "posixpath", "re", "string", "struct",
    "textwrap", "typing", "unicodedata", "_bisect", "_collections", "_functools", "_heapq", "_operator", "_struct",
}  # fmt: skip
# Members that one of the module's tables may have: what is larger is not written down in every round.
_ts_TABLE = 1_000


def _ts_quick(value):
    """The bytes of a plain value; None for others: what has a buffer would be its bytes, without its kind and shape."""
    try:
        data = _ts_marshal.dumps(value, 2)
        return data if _ts_plain_types(value) else None
    except (ValueError, RecursionError):
        return None


def _ts_plain_types(value):
    kind = type(value)
    if kind in (str, int, float, bool, bytes, type(None)):
        return True
    if kind in (list, tuple, set, frozenset):
        return all(map(_ts_plain_types, value))
    return kind is dict and all(_ts_plain_types(key) and _ts_plain_types(item) for key, item in value.items())


def _ts_state(frame):
    """Everything that the next round of a loop depends on, as bytes; None where that is not known."""
    seen = set()
    parts = [frame.f_lineno, _ts_named(frame.f_code, seen)]
    for name, value in frame.f_locals.items():
        parts += [name, _ts_kept(value, seen)]
    return _ts_quick(parts)


def _ts_named(code, seen):
    """What a code finds by names of the module."""
    parts = []
    for name in code.co_names:
        if name in globals() and not name.startswith("_ts_"):
            value = globals()[name]
            large = type(value) in (list, tuple, dict, set, frozenset) and len(value) > _ts_TABLE
            parts += [name, Ellipsis if large else _ts_kept(value, seen)]
    return parts + [_ts_named(inner, seen) for inner in code.co_consts if type(inner) is type(code)]


def _ts_kept(value, seen):
    """A value as data, with all that it keeps behind it; what is not known stays what it is, and is no data."""
    if id(value) in seen:
        return id(value)
    if isinstance(value, (_ts_re.Pattern, _ts_enum.EnumMeta, _ts_types.MemberDescriptorType)):
        return id(value)
    if isinstance(value, _ts_types.ModuleType):
        return id(value) if value.__name__.partition(".")[0] in _ts_STEADY else value
    if isinstance(value, _ts_types.BuiltinFunctionType):
        return [value.__name__, _ts_kept(value.__self__, seen)]
    if isinstance(value, _ts_types.MethodType):
        return [_ts_kept(value.__self__, seen), _ts_kept(value.__func__, seen)]
    if type(value) is _ts_CACHED:
        return _ts_kept(value.__wrapped__, seen)
    if isinstance(value, (staticmethod, classmethod)):
        return _ts_kept(value.__func__, seen)
    if type(value) is property:
        return [_ts_kept(part, seen) for part in (value.fget, value.fset, value.fdel)]
    if not isinstance(value, (type, _ts_types.FunctionType)):
        return value
    home = _ts_sys.modules.get(value.__module__)
    if getattr(home, value.__name__, None) is value and home.__name__.partition(".")[0] in _ts_STEADY:
        return id(value)
    seen.add(id(value))
    if isinstance(value, type):
        # What the language itself keeps there is no state.
        kept = {name: member for name, member in vars(value).items() if name[:2] != "__" or callable(member)}
        inside = [[name, _ts_kept(member, seen)] for name, member in kept.items()]
        return [id(value), inside, [_ts_kept(base, seen) for base in value.__bases__]]
    if value.__globals__ is not globals():
        return value
    cells = [_ts_kept(_ts_held(cell), seen) for cell in value.__closure__ or ()]
    given = [_ts_kept(each, seen) for each in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())]
    own = [[name, _ts_kept(each, seen)] for name, each in vars(value).items()]
    return [id(value), cells, given, own, _ts_named(value.__code__, seen)]


def _ts_held(cell):
    try:
        return cell.cell_contents
    except ValueError:
        # Nothing yet.
        return None
