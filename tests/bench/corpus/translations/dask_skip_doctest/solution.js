function isSpace(c) {
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c === 0x85 || c === 0xa0 || c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
}

function strip(s) {
  let i = 0, j = s.length;
  while (i < j && isSpace(s.charCodeAt(i))) i++;
  while (j > i && isSpace(s.charCodeAt(j - 1))) j--;
  return s.slice(i, j);
}

/**
 * @param {string | null} doc
 * @returns {string}
 */
function skip_doctest(doc) {
  if (doc === null || doc === undefined) return "";
  return doc.split("\n").map((line) => {
    const stripped = strip(line);
    if (stripped === ">>>" || stripped.startsWith(">>> #")) return line;
    if (stripped.includes(">>>") && !stripped.includes("+SKIP")) {
      return line + (line.includes("# doctest:") ? ", +SKIP" : "  # doctest: +SKIP");
    }
    return line;
  }).join("\n");
}
