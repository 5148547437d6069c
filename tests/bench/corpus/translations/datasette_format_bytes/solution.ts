function oneDecimal(x: number): string {
  if (Math.abs(x) >= 1e21) return BigInt(x).toString() + ".0";
  // Halves go to the even digit: only quarters are halves of a tenth.
  if (!Number.isInteger(x * 2) && Number.isInteger(x * 4)) {
    const low = Math.floor(x * 10), even = low % 2 === 0 ? low : low + 1;
    return (even / 10).toFixed(1);
  }
  return x.toFixed(1);
}

function format_bytes(bytes: number): string {
  let current = bytes, unit = "bytes";
  for (unit of ["bytes", "KB", "MB", "GB", "TB"]) {
    if (current < 1024) break;
    current /= 1024;
  }
  return (unit === "bytes" ? BigInt(Math.trunc(current)).toString() : oneDecimal(current)) + " " + unit;
}
