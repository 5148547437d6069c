function canonsort_keys(keys, canonical_order) {
  const order = canonical_order ?? [];
  const head = keys.filter((key) => order.includes(key));
  const tail = keys.filter((key) => !order.includes(key));
  head.sort((a, b) => order.lastIndexOf(a) - order.lastIndexOf(b));
  return [...head, ...tail.sort()];
}
