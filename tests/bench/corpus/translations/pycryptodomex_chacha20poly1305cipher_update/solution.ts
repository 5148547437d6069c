function cha_cha20_poly1305_cipher_update(next: { update: boolean | number | unknown[] | object | string | null }, authenticator: Record<string, boolean | number | unknown[] | object | string | null>, len_aad: number, data: Record<string, boolean | number | unknown[] | object | string | null>): { authenticator: Record<string, boolean | number | unknown[] | object | string | null>; len_aad: number } {
  if (!Object.prototype.hasOwnProperty.call(next, "update")) throw new TypeError("update() method cannot be called");
  return { authenticator: { ...authenticator, ...data }, len_aad: len_aad + Object.keys(data).length };
}
