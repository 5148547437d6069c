function merge_location(converted: number | object | string, location: Record<string, boolean | number | unknown[] | object | string | null>): Record<string, boolean | number | unknown[] | object | string | null> {
  const loc = location === null || location === undefined ? {} : location;
  if (converted !== null && typeof converted === "object" && !Array.isArray(converted)) {
    return { ...loc, ...(converted as Record<string, boolean | number | unknown[] | object | string | null>) };
  }
  return { __value__: converted, ...loc };
}
