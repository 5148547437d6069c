# Wrong: within an inner list the plain items come before those of its own lists (breadth first).
from collections import deque


def flatten_list(lst):
    result = []
    for item in lst:
        if not isinstance(item, (list, tuple, dict)):
            result.append(item)
            continue
        queue = deque(item)
        while queue:
            inner = queue.popleft()
            if isinstance(inner, dict):
                result.extend(inner)
            elif isinstance(inner, (list, tuple)):
                queue.extend(inner)
            else:
                result.append(inner)
    return result
