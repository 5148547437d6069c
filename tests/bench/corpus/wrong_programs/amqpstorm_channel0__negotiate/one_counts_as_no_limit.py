# Wrong: off by one, an agreed value of 1 is treated like 0 (no limit) too.
def channel0_negotiate(server_value: int, client_value: int) -> int:
    lowest = min(server_value, client_value)
    if 0 <= lowest <= 1:
        return client_value
    return lowest
