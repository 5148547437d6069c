function getrects(inheritable: { CropBox: string[]; MediaBox: string[]; viewrect?: (unknown[] | object | string | null)[] }, pageinfo: { viewrect: number[] | null }, rotation: number): number[][] {
  const own = (m: any, k: string): any => {
    if (m instanceof Map) {
      if (!m.has(k)) throw new Error("missing key " + k);
      return m.get(k);
    }
    if (!Object.prototype.hasOwnProperty.call(m, k)) throw new Error("missing key " + k);
    return m[k];
  };
  const toFloat = (v: any): number => {
    if (typeof v === "number") return v;
    if (typeof v === "boolean" || typeof v === "bigint") return Number(v);
    if (typeof v !== "string") throw new TypeError("not a number");
    const isBlank = (c: number): boolean =>
      (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c === 0x85 || c === 0xa0 || c === 0x1680 ||
      (c >= 0x2000 && c <= 0x200a) || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
    let a = 0;
    let b = v.length;
    while (a < b && isBlank(v.charCodeAt(a))) a++;
    while (b > a && isBlank(v.charCodeAt(b - 1))) b--;
    const s = v.slice(a, b);
    if (/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(s)) return Number(s);
    if (/^[+-]?inf(inity)?$/i.test(s)) return s[0] === "-" ? -Infinity : Infinity;
    if (/^[+-]?nan$/i.test(s)) return NaN;
    throw new Error("not a number: " + s);
  };
  const floats = (v: any): number[] => {
    if (!Array.isArray(v)) throw new TypeError("not a sequence");
    const r: number[] = [];
    for (const e of v) r.push(toFloat(e));
    return r;
  };
  const turnPoint = (a: number, b: number, q: number): number[] =>
    q === 1 ? [b, -a] : q === 2 ? [-a, -b] : q === 3 ? [-b, a] : [a, b];
  const turnBox = (box: number[], q: number): number[] => {
    const p = turnPoint(box[0], box[1], q);
    const r = turnPoint(box[2], box[3], q);
    return [
      r[0] < p[0] ? r[0] : p[0], r[1] < p[1] ? r[1] : p[1],
      r[0] > p[0] ? r[0] : p[0], r[1] > p[1] ? r[1] : p[1],
    ];
  };
  const media = floats(own(inheritable, "MediaBox"));
  const rawCrop = own(inheritable, "CropBox");
  const noCrop = rawCrop === null || rawCrop === undefined || rawCrop.length === 0;
  const crop = noCrop ? media.slice() : floats(rawCrop);
  const view = own(pageinfo, "viewrect");
  if (view === null || view === undefined) return [media, crop];
  if (!Array.isArray(view) || view.length !== 4) throw new Error("viewrect is not four numbers");
  if (crop.length < 4) throw new Error("crop box of fewer than four numbers");
  for (const e of view) if (typeof e !== "number") throw new TypeError("viewrect is not four numbers");
  const q = ((rotation % 4) + 4) % 4;
  const [L, B, R, T] = turnBox(crop, q);
  let [x, y, w, h]: number[] = view;
  const least = Math.min(x, y, w, h);
  const most = Math.max(x, y, w, h);
  if (least >= 0 && most <= 1 && least !== most) {
    x *= R - L;
    w *= R - L;
    y *= T - B;
    h *= T - B;
  }
  const left = L + x;
  const right = left + w;
  const top = T - y;
  const bottom = top - h;
  const box = [Math.max(L, left), Math.max(B, bottom), Math.min(R, right), Math.min(T, top)];
  return [media, turnBox(box, (4 - q) % 4)];
}
