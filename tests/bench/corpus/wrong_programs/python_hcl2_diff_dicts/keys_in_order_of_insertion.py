# keys come in the order in which they stand, not sorted
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
        for key in list(left) + [key for key in right if key not in left]:
            where = f"{path}.{key}" if path else key
            if key not in left:
                out.append(DiffEntry(where, "added", right=right[key]))
            elif key not in right:
                out.append(DiffEntry(where, "removed", left=left[key]))
            else:
                out.extend(diff_dicts(left[key], right[key], where))
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
