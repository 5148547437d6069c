function compareText(a, b) {
  const x = Array.from(a), y = Array.from(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = x[i].codePointAt(0) - y[i].codePointAt(0);
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

function join(store) {
  let out = "";
  for (const name of Object.keys(store).sort(compareText)) {
    const [type, value] = store[name];
    out += name + (type ? ": " + type : "") + (value ? " = " + value : "") + ", ";
  }
  return out;
}

/**
 * @param {Record<string, (string | null)[]>} pos_only_store
 * @param {Record<string, (string | null)[]>} kw_only_store
 * @returns {string[]}
 */
function parse_arguments_into_strings(pos_only_store, kw_only_store) {
  return [join(pos_only_store), join(kw_only_store)];
}
