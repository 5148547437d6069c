function floatRepr(x: number): string {
  if (Number.isNaN(x)) return "nan";
  if (x === Infinity) return "inf";
  if (x === -Infinity) return "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  const [m, e] = x.toExponential().split("e");
  const n = Number(e);
  if (n < -4 || n >= 16) {
    const a = String(Math.abs(n));
    return m + "e" + (n < 0 ? "-" : "+") + (a.length < 2 ? "0" + a : a);
  }
  const s = String(x);
  return s.includes(".") ? s : s + ".0";
}

function compareText(a: string, b: string): number {
  const x = Array.from(a), y = Array.from(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = x[i].codePointAt(0)! - y[i].codePointAt(0)!;
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

function reprText(s: string): string {
  const q = s.includes("'") && !s.includes('"') ? '"' : "'";
  let out = q;
  for (const ch of s) {
    const c = ch.codePointAt(0)!;
    if (ch === q || ch === "\\") out += "\\" + ch;
    else if (ch === "\n") out += "\\n";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\t") out += "\\t";
    else if (ch !== " " && /[\p{C}\p{Z}]/u.test(ch)) {
      const h = c.toString(16);
      if (c < 0x100) out += "\\x" + h.padStart(2, "0");
      else if (c < 0x10000) out += "\\u" + h.padStart(4, "0");
      else out += "\\U" + h.padStart(8, "0");
    } else out += ch;
  }
  return out + q;
}

function repr(v: any): string {
  if (v === null || v === undefined) return "None";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (typeof v === "string") return reprText(v);
  if (typeof v === "number") return Number.isSafeInteger(v) && !Object.is(v, -0) ? String(v) : floatRepr(v);
  if (Array.isArray(v)) return "[" + v.map(repr).join(", ") + "]";
  if (typeof v === "object") {
    return "{" + Object.keys(v).sort(compareText).map((k) => reprText(k) + ": " + repr(v[k])).join(", ") + "}";
  }
  return String(v);
}

function str(v: any): string {
  return typeof v === "string" ? v : repr(v);
}

function list_to_scope(scope: unknown[] | string | null): string | null {
  if (scope === null || scope === undefined || typeof scope === "string") return scope ?? null;
  if (!Array.isArray(scope)) throw new Error("invalid scope");
  return scope.map(str).join(" ");
}
