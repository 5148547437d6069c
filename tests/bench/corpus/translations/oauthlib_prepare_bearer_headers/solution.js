/**
 * @param {string} token
 * @param {{ Authorization?: number | unknown[] | object | string | null } | null} headers
 * @returns {{ Authorization: string }}
 */
function prepare_bearer_headers(token, headers) {
  return { ...(headers ?? {}), Authorization: "Bearer " + token };
}
