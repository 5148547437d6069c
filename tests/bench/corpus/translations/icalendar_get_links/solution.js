/**
 * @param {Record<string, number | unknown[] | object | string | null>} self
 * @returns {(number | unknown[] | object | string | null)[]}
 */
function get_links(self) {
  const link = Object.hasOwn(self, "LINK") ? self["LINK"] : [];
  return Array.isArray(link) ? link : [link];
}
