# an added or removed mapping gives an entry for each of its values instead of one for the whole
from dataclasses import dataclass
from typing import Any


@dataclass
class DiffEntry:
    path: str
    kind: str
    left: Any = None
    right: Any = None


def _leaves(path, value):
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _leaves(f"{path}.{key}" if path else key, value[key])
    else:
        yield path, value


def diff_dicts(left, right, path=""):
    out = []
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            where = f"{path}.{key}" if path else key
            if key not in left:
                out += [DiffEntry(p, "added", right=v) for p, v in _leaves(where, right[key])]
            elif key not in right:
                out += [DiffEntry(p, "removed", left=v) for p, v in _leaves(where, left[key])]
            else:
                out += diff_dicts(left[key], right[key], where)
    elif isinstance(left, list) and isinstance(right, list):
        for i in range(max(len(left), len(right))):
            where = f"{path}[{i}]"
            if i >= len(left):
                out.append(DiffEntry(where, "added", right=right[i]))
            elif i >= len(right):
                out.append(DiffEntry(where, "removed", left=left[i]))
            else:
                out += diff_dicts(left[i], right[i], where)
    elif left != right:
        out.append(DiffEntry(path or "(root)", "changed", left, right))
    return out
