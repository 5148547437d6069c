function invalid_messages(msg) {
  if (msg === null || msg === undefined) return [];
  if (Array.isArray(msg)) return msg;
  return [msg];
}
if (typeof module !== "undefined") module.exports = { invalid_messages };
