# Wrong: it is not checked that update may still be called
def cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data):
    authenticator = dict(authenticator)
    authenticator.update(data)
    len_aad = len_aad + len(data)
    return {"authenticator": authenticator, "len_aad": len_aad}
