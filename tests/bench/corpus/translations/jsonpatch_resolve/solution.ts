function resolve(doc: unknown[] | object, parts: (number | string)[]): unknown[] | object | string {
  let cur: any = doc;
  for (const part of parts) {
    if (Array.isArray(cur) || typeof cur === "string") {
      const items: any[] = typeof cur === "string" ? Array.from(cur) : cur;
      let i = Number(part);
      if (i < 0) i += items.length;
      if (!Number.isInteger(i) || i < 0 || i >= items.length) throw new Error("no such item: " + part);
      cur = items[i];
    } else {
      if (cur === null || typeof cur !== "object" || !Object.hasOwn(cur, part)) throw new Error("no such key: " + part);
      cur = cur[part];
    }
  }
  return cur;
}
