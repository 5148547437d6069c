function smb_raw_io_readable(mode: unknown[] | object | string): boolean {
  if (typeof mode === "string") return mode.includes("r") || mode.includes("+");
  if (Array.isArray(mode)) return mode.some((e: unknown) => e === "r" || e === "+");
  if (mode instanceof Map || mode instanceof Set) return mode.has("r") || mode.has("+");
  const own = Object.prototype.hasOwnProperty;
  return own.call(mode, "r") || own.call(mode, "+");
}
