# a key present with None counts as absent
from dataclasses import dataclass
from typing import Any


@dataclass
class DiffEntry:
    path: str
    kind: str
    left: Any = None
    right: Any = None


def _join(path, key):
    return f"{path}.{key}" if path else key


def diff_dicts(left, right, path=""):
    out = []
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            a, b = left.get(key), right.get(key)
            where = _join(path, key)
            if a is None and b is None:
                continue
            if a is None:
                out.append(DiffEntry(where, "added", right=b))
            elif b is None:
                out.append(DiffEntry(where, "removed", left=a))
            else:
                out.extend(diff_dicts(a, b, where))
    elif isinstance(left, list) and isinstance(right, list):
        for i in range(max(len(left), len(right))):
            where = f"{path}[{i}]"
            if i >= len(left):
                out.append(DiffEntry(where, "added", right=right[i]))
            elif i >= len(right):
                out.append(DiffEntry(where, "removed", left=left[i]))
            else:
                out.extend(diff_dicts(left[i], right[i], where))
    elif left != right:
        out.append(DiffEntry(path or "(root)", "changed", left, right))
    return out
