/**
 * @param {(number | string)[]} items
 * @returns {{ items: (number | string)[]; map: Map<string | number, number> }}
 */
function ordered_set_update_items(items) {
  const map = new Map();
  items.forEach((item, index) => {
    map.set(item, index);
  });
  return { items: items.slice(), map };
}

if (typeof module !== "undefined" && module.exports) module.exports = { ordered_set_update_items };
