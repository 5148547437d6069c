function all_unique(items) {
  return new Set(items).size === items.length;
}
