/**
 * @param {string} value
 * @returns {string}
 */
function decode_cap(value) {
  let out = "";
  for (const ch of value) {
    const cp = ch.codePointAt(0);
    if (ch === "\u001b") out += "\\E";
    else if (ch === "\n") out += "\\n";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\t") out += "\\t";
    else if (ch === "\u0000") out += "^@";
    else if (ch === "\u007f") out += "^?";
    else if (cp < 32) out += "^" + String.fromCharCode(cp + 64);
    else out += ch;
  }
  return out;
}

if (typeof module !== "undefined" && module.exports) module.exports = { decode_cap };
