# Wrong: the agreed value is limited to the default frame size 131072 unless the server has no limit.
MAX_FRAME_SIZE = 131072


def channel0_negotiate(server_value: int, client_value: int) -> int:
    if not server_value:
        return client_value
    return min(server_value, client_value, MAX_FRAME_SIZE)
