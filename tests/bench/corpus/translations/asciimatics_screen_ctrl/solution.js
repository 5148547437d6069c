/**
 * @param {number | string} char
 * @returns {number | null}
 */
function ctrl(char) {
  let code;
  if (typeof char === "string") {
    const up = Array.from(char.toUpperCase());
    if (up.length !== 1) return null;
    code = up[0].codePointAt(0);
  } else {
    code = Number(char);
  }
  return code >= 64 && code <= 95 ? code - 64 : null;
}
