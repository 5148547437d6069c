# wrong: contiguous parts are merged into one write instead of being returned one by one
import heapq


def defer_queue_request_writes(own_writes, pending_offsets, next_offset, offset, data):
    writes = []
    fresh = offset + len(data) > next_offset
    if fresh and offset < next_offset:
        data = data[next_offset - offset:]
        offset = next_offset
    if fresh and offset in pending_offsets:
        fresh = len(data) > len(pending_offsets[offset])
    elif fresh:
        heapq.heappush(own_writes, offset)
    if fresh:
        pending_offsets[offset] = data
        begin, merged = next_offset, []
        while own_writes and own_writes[0] == next_offset:
            chunk = pending_offsets.pop(heapq.heappop(own_writes))
            merged = merged + chunk
            next_offset += len(chunk)
        if merged:
            writes = [{"offset": begin, "data": merged}]
    return {
        "result": writes,
        "pending_offsets": pending_offsets,
        "next_offset": next_offset,
    }
