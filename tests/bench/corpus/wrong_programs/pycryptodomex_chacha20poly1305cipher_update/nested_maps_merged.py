# Wrong: maps under the same key are merged instead of replaced
def merge(old, new):
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            merge(old[key], value)
        else:
            old[key] = value


def cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data):
    if "update" not in next:
        raise TypeError("update() method cannot be called")
    len_aad += len(data)
    merge(authenticator, data)
    return {"authenticator": authenticator, "len_aad": len_aad}
