/**
 * @param {unknown[] | object} doc
 * @param {(number | string)[]} parts
 * @returns {unknown[] | object | string}
 */
function resolve(doc, parts) {
  let cur = doc;
  for (const part of parts) {
    if (Array.isArray(cur) || typeof cur === "string") {
      const items = typeof cur === "string" ? Array.from(cur) : cur;
      let i = Number(part);
      if (i < 0) i += items.length;
      if (!Number.isInteger(i) || i < 0 || i >= items.length) throw new Error("no such item: " + part);
      cur = items[i];
    } else {
      if (cur === null || typeof cur !== "object" || !Object.hasOwn(cur, part)) throw new Error("no such key: " + part);
      cur = cur[part];
    }
  }
  return cur;
}
