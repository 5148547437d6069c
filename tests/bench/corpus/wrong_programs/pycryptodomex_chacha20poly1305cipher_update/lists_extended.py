# Wrong: lists under the same key are joined instead of replaced
def cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data):
    if "update" not in next:
        raise TypeError("update() method cannot be called")
    for key, value in data.items():
        if isinstance(value, list) and isinstance(authenticator.get(key), list):
            authenticator[key] = authenticator[key] + value
        else:
            authenticator[key] = value
    return {"authenticator": authenticator, "len_aad": len_aad + len(data)}
