function merge_location(converted, location) {
  const loc = location === null || location === undefined ? {} : location;
  if (converted !== null && typeof converted === "object" && !Array.isArray(converted)) {
    return { ...loc, ...converted };
  }
  return { __value__: converted, ...loc };
}
