# Wrong: ten percent are rounded up
import math
from collections import deque

def rough_max_size_set_init(max_size: int, eviction_batch: int | None = None) -> dict[str, object]:
    if not eviction_batch:
        eviction_batch = max(1, math.ceil(max_size / 10))
    return {"max_size": max_size, "eviction_batch": eviction_batch, "dq": deque(), "set": set()}
