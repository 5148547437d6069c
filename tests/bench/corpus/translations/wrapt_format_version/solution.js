/**
 * @param {string[]} parts
 * @returns {string}
 */
function format_version(parts) {
  let out = parts.slice(0, 3).join(".");
  for (const p of parts.slice(3)) out += p.startsWith("dev") || p.startsWith("post") ? "." + p : p;
  return out;
}
