# Wrong: the server value is taken to be an unsigned short and cut to 65535 at most.
def channel0_negotiate(server_value: int, client_value: int) -> int:
    if server_value == 0:
        return client_value
    return min(min(server_value, 65535), client_value)
