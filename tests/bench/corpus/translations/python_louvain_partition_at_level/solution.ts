function partition_at_level(dendrogram: (Record<string, boolean | number | unknown[] | object | string | null>)[], level: number): Record<string, boolean | number | unknown[] | object | string | null> {
  if (dendrogram.length === 0) throw new RangeError("empty dendrogram");
  let pairs: [string, boolean | number | unknown[] | object | string | null][] = Object.entries(dendrogram[0]);
  if (pairs.length === 0) return {};
  for (let i = 1; i <= level; i++) {
    if (i >= dendrogram.length) throw new RangeError("level out of range");
    const m = dendrogram[i];
    pairs = pairs.map(([k, v]): [string, boolean | number | unknown[] | object | string | null] => {
      if (typeof v !== "string" || !Object.prototype.hasOwnProperty.call(m, v)) throw new Error("missing key");
      return [k, m[v]];
    });
  }
  return Object.fromEntries(pairs);
}
