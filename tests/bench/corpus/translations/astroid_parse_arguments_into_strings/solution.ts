function compareText(a: string, b: string): number {
  const x = Array.from(a), y = Array.from(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = x[i].codePointAt(0)! - y[i].codePointAt(0)!;
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

function join(store: Record<string, (string | null)[]>): string {
  let out = "";
  for (const name of Object.keys(store).sort(compareText)) {
    const [type, value] = store[name];
    out += name + (type ? ": " + type : "") + (value ? " = " + value : "") + ", ";
  }
  return out;
}

function parse_arguments_into_strings(pos_only_store: Record<string, (string | null)[]>, kw_only_store: Record<string, (string | null)[]>): string[] {
  return [join(pos_only_store), join(kw_only_store)];
}
