# Wrong: a given batch is capped at max_size
from collections import deque

def rough_max_size_set_init(max_size: int, eviction_batch: int | None = None) -> dict[str, object]:
    if not eviction_batch:
        eviction_batch = max(1, max_size // 10)
    elif max_size > 0:
        eviction_batch = min(eviction_batch, max_size)
    return {"max_size": max_size, "eviction_batch": eviction_batch, "dq": deque(), "set": set()}
