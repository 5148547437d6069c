function bold(text: number | string | null): string {
  function numberForm(v: number): string {
    if (Number.isNaN(v)) return "nan";
    if (v === Infinity) return "inf";
    if (v === -Infinity) return "-inf";
    if (Object.is(v, -0)) return "-0.0";
    if (Number.isInteger(v)) return BigInt(v).toString();
    const parts = v.toExponential().split("e");
    const exp = Number(parts[1]);
    if (exp < -4 || exp >= 16) {
      const size = String(Math.abs(exp));
      return parts[0] + "e" + (exp < 0 ? "-" : "+") + (size.length < 2 ? "0" + size : size);
    }
    return String(v);
  }
  function quoted(s: string): string {
    const mark = s.indexOf("'") >= 0 && s.indexOf('"') < 0 ? '"' : "'";
    const hidden = new RegExp("^[\\p{C}\\p{Z}]$", "u");
    let out = mark;
    for (const ch of Array.from(s)) {
      if (ch === "\\" || ch === mark) out += "\\" + ch;
      else if (ch === "\n") out += "\\n";
      else if (ch === "\r") out += "\\r";
      else if (ch === "\t") out += "\\t";
      else if (ch !== " " && hidden.test(ch)) {
        const cp = ch.codePointAt(0) as number;
        const width = cp < 0x100 ? 2 : cp < 0x10000 ? 4 : 8;
        let hex = cp.toString(16);
        while (hex.length < width) hex = "0" + hex;
        out += "\\" + (width === 2 ? "x" : width === 4 ? "u" : "U") + hex;
      } else out += ch;
    }
    return out + mark;
  }
  function form(v: any): string {
    if (v === null || v === undefined) return "None";
    if (v === true) return "True";
    if (v === false) return "False";
    if (typeof v === "number") return numberForm(v);
    if (typeof v === "bigint") return v.toString();
    if (typeof v === "string") return quoted(v);
    if (Array.isArray(v)) return "[" + v.map((x: any) => form(x)).join(", ") + "]";
    const entries: any[] = v instanceof Map ? Array.from(v.entries()) : Object.entries(v);
    return "{" + entries.map((e: any) => form(e[0]) + ": " + form(e[1])).join(", ") + "}";
  }
  const body = typeof text === "string"
    ? text.split("\\").join("\\\\").split("-").join("\\-")
    : form(text);
  return "\\fB" + body + "\\fR";
}
