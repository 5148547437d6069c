# wrong: submits one write only, not all that have become contiguous
import heapq


def defer_queue_request_writes(own_writes, pending_offsets, next_offset, offset, data):
    writes = []

    def state():
        return {
            "result": writes,
            "pending_offsets": pending_offsets,
            "next_offset": next_offset,
        }

    if offset + len(data) <= next_offset:
        return state()
    if offset < next_offset:
        data = data[next_offset - offset:]
        offset = next_offset
    if offset in pending_offsets:
        if len(data) <= len(pending_offsets[offset]):
            return state()
    else:
        heapq.heappush(own_writes, offset)
    pending_offsets[offset] = data
    if own_writes and own_writes[0] == next_offset:
        start = heapq.heappop(own_writes)
        chunk = pending_offsets.pop(start)
        writes.append({"offset": start, "data": chunk})
        next_offset += len(chunk)
    return state()
