/**
 * @param {string | null} context
 * @returns {string}
 */
function sanitize_context(context) {
  return (context ?? "").replaceAll("%", "%%");
}
