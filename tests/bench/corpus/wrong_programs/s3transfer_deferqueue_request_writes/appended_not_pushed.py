# wrong: a new offset goes to the end of the queue, so the smallest is no longer at its head
def defer_queue_request_writes(own_writes, pending_offsets, next_offset, offset, data):
    def collect(offset, data, expected):
        if offset + len(data) <= expected:
            return [], expected
        if offset < expected:
            data = data[expected - offset:]
            offset = expected
        if offset in pending_offsets:
            if len(data) <= len(pending_offsets[offset]):
                return [], expected
        else:
            own_writes.append(offset)
        pending_offsets[offset] = data
        ready = []
        while own_writes and own_writes[0] == expected:
            first = own_writes.pop(0)
            chunk = pending_offsets.pop(first)
            ready.append({"offset": first, "data": chunk})
            expected += len(chunk)
        return ready, expected

    result, next_offset = collect(offset, data, next_offset)
    return {
        "result": result,
        "pending_offsets": pending_offsets,
        "next_offset": next_offset,
    }
