/**
 * @param {Record<string, number> | null} headers
 * @returns {Record<string, number>}
 */
function initialize_headers(headers) {
  if (headers === null || headers === undefined) return {};
  if (headers instanceof Map) return new Map(headers);
  return { ...headers };
}

if (typeof module !== 'undefined') module.exports = { initialize_headers };
