# first the removed keys, then the added ones, then the differences within common ones
from dataclasses import dataclass
from typing import Any


@dataclass
class DiffEntry:
    path: str
    kind: str
    left: Any = None
    right: Any = None


def diff_dicts(left, right, path=""):
    out = []
    if isinstance(left, dict) and isinstance(right, dict):
        prefix = f"{path}." if path else ""
        for key in sorted(left.keys() - right.keys()):
            out.append(DiffEntry(f"{prefix}{key}", "removed", left=left[key]))
        for key in sorted(right.keys() - left.keys()):
            out.append(DiffEntry(f"{prefix}{key}", "added", right=right[key]))
        for key in sorted(left.keys() & right.keys()):
            out.extend(diff_dicts(left[key], right[key], f"{prefix}{key}"))
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
