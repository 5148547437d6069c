function cha_cha20_poly1305_cipher_update(next, authenticator, len_aad, data) {
  if (!Object.prototype.hasOwnProperty.call(next, "update")) throw new TypeError("update() method cannot be called");
  return { authenticator: { ...authenticator, ...data }, len_aad: len_aad + Object.keys(data).length };
}
