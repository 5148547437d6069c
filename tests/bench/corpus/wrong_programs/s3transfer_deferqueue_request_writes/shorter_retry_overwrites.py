# wrong: a shorter part for a pending offset replaces the longer one that is held
import heapq


def defer_queue_request_writes(own_writes, pending_offsets, next_offset, offset, data):
    result = []
    if offset + len(data) > next_offset:
        if offset < next_offset:
            data = data[next_offset - offset:]
            offset = next_offset
        known = pending_offsets.get(offset)
        if known is None or len(known) != len(data):
            if known is None:
                heapq.heappush(own_writes, offset)
            pending_offsets[offset] = data
            while own_writes and own_writes[0] == next_offset:
                start = heapq.heappop(own_writes)
                chunk = pending_offsets.pop(start)
                result.append({"offset": start, "data": chunk})
                next_offset += len(chunk)
    return {
        "result": result,
        "pending_offsets": pending_offsets,
        "next_offset": next_offset,
    }
