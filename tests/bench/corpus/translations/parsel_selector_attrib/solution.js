/**
 * @param {Record<string, number | unknown[] | object | string>} root
 * @param {string | null} type
 * @returns {Record<string, number | unknown[] | object | string | null>}
 */
function selector_attrib(root, type) {
  if (type === 'json') return {};
  const attrib = root instanceof Map ? root.get('attrib') : root.attrib;
  if (attrib === null || attrib === undefined) throw new TypeError('no attrib');
  if (attrib instanceof Map) return new Map(attrib);
  return { ...attrib };
}

if (typeof module !== 'undefined') module.exports = { selector_attrib };
