const BLANK = "[\\t-\\r\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const BLANK_AT = new RegExp("^" + BLANK + "$");

function strip(text) {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK_AT.test(text[start])) start++;
  while (end > start && BLANK_AT.test(text[end - 1])) end--;
  return text.slice(start, end);
}

function splitLines(text) {
  const lines = text.split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/**
 * @param {string} lineend
 * @param {string} value
 * @returns {string}
 */
function normalize(lineend, value) {
  return strip(splitLines(value).map(strip).join(lineend));
}

if (typeof module !== "undefined" && module.exports) module.exports = { normalize };
