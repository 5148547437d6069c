# Wrong: a false under update is taken as not allowed
def cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data):
    if "update" not in next or next["update"] is False:
        raise TypeError("update() method cannot be called")
    len_aad += len(data)
    authenticator.update(data)
    return {"authenticator": authenticator, "len_aad": len_aad}
