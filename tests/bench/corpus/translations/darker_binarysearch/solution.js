function binary_search_operations(operations, low, high) {
  let lo = BigInt(low);
  let hi = BigInt(high);
  let mid = lo;
  const floorHalf = (n) => n >> 1n; // rounds down, also below zero
  const out = [];
  for (const op of operations) {
    switch (op[0]) {
      case "get_next":
        out.push(Number(mid));
        break;
      case "respond":
        if (op[1]) hi = mid;
        else lo = mid + 1n;
        mid = floorHalf(lo + hi);
        out.push(null);
        break;
      case "found":
        out.push(lo >= hi);
        break;
      case "result":
        if (lo < hi) throw new Error("The lowest true response index has not been found yet");
        out.push(Number(hi));
        break;
      default:
        throw new Error("Unknown operation " + String(op[0]));
    }
  }
  return out;
}
if (typeof module !== "undefined") module.exports = { binary_search_operations };
