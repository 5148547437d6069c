# Wrong: a list counts with its items toward the length instead of as one entry
def cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data):
    if "update" not in next:
        raise TypeError("update() method cannot be called")
    for value in data.values():
        len_aad += len(value) if isinstance(value, list) else 1
    authenticator = {**authenticator, **data}
    return {"authenticator": authenticator, "len_aad": len_aad}
