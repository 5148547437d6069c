function latex_incremental_encoder_get_space_bytes(state, bytes_) {
  if (state !== "S") return ["", bytes_];
  if (bytes_.startsWith(" ")) return ["\\ ", bytes_.slice(1)];
  return [" ", bytes_];
}
if (typeof module !== "undefined") module.exports = { latex_incremental_encoder_get_space_bytes };
