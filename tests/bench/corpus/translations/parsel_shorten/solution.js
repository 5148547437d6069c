/**
 * @param {string} text
 * @param {number} width
 * @param {string} suffix
 * @returns {string}
 */
function shorten(text, width, suffix = "...") {
  const w = Number(width);
  const chars = Array.from(text);
  if (chars.length <= w) return text;
  if (w < 0) throw new RangeError("width must be equal or greater than 0");
  const tail = Array.from(suffix);
  if (w > tail.length) return chars.slice(0, w - tail.length).join("") + suffix;
  return tail.slice(tail.length - w).join("");
}

if (typeof module !== "undefined" && module.exports) module.exports = { shorten };
