# Wrong: the default is capped at 10
from collections import deque

def rough_max_size_set_init(max_size: int, eviction_batch: int | None = None) -> dict[str, object]:
    if not eviction_batch:
        eviction_batch = max(1, min(10, max_size // 10))
    return {"max_size": max_size, "eviction_batch": eviction_batch, "dq": deque(), "set": set()}
