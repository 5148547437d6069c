function neighcom(node, graph, status, weight_key) {
  const has = (m, k) => {
    if (m === null || m === undefined || typeof m !== "object") throw new TypeError("not a mapping");
    if (m instanceof Map) return m.has(k);
    return typeof k === "string" && Object.prototype.hasOwnProperty.call(m, k);
  };
  const get = (m, k) => {
    if (!has(m, k)) throw new Error("missing key " + String(k));
    return m instanceof Map ? m.get(k) : m[k];
  };
  const g = graph;
  let links;
  if (Array.isArray(g)) {
    if (typeof node !== "number" || !Number.isInteger(node)) throw new TypeError("node is no position");
    const at = node < 0 ? node + g.length : node;
    if (at < 0 || at >= g.length) throw new RangeError("node is not in graph");
    links = g[at];
  } else {
    links = get(g, node);
  }
  if (links === null || typeof links !== "object" || Array.isArray(links)) throw new TypeError("not a mapping");
  const names = links instanceof Map ? Array.from(links.keys()) : Object.keys(links);
  const out = new Map();
  for (const name of names) {
    if (name === node) continue;
    const data = get(links, name);
    let weight = has(data, weight_key) ? get(data, weight_key) : 1;
    if (typeof weight === "boolean") weight = weight ? 1 : 0;
    if (typeof weight !== "number") throw new TypeError("weight is not a number");
    const com = get(get(status, "node2com"), name);
    if (com !== null && typeof com === "object") throw new TypeError("community is a mapping or list");
    out.set(com, (out.has(com) ? out.get(com) : 0) + weight);
  }
  return out;
}
