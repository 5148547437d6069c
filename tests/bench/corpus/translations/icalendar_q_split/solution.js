/**
 * @param {string} st
 * @param {string} sep
 * @param {number} maxsplit
 * @returns {string[]}
 */
function q_split(st, sep, maxsplit) {
  if (sep === undefined) sep = ",";
  if (maxsplit === undefined) maxsplit = -1;
  if (maxsplit == 0) return [st];
  const chars = Array.from(st), result = [];
  let start = 0, quoted = false, splits = 0;
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] === '"') quoted = !quoted;
    if (!quoted && chars[i] === sep) {
      result.push(chars.slice(start, i).join(""));
      start = i + 1;
      splits++;
    }
    if (i + 1 === chars.length || splits == maxsplit) {
      result.push(chars.slice(start).join(""));
      break;
    }
  }
  return result;
}
