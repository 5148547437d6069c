function q_split(st: string, sep: string, maxsplit: number): string[] {
  if (sep === undefined) sep = ",";
  if (maxsplit === undefined) maxsplit = -1;
  if (maxsplit == 0) return [st];
  const chars = Array.from(st), result: string[] = [];
  let start = 0, quoted = false, splits = 0;
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] === '"') quoted = !quoted;
    if (!quoted && chars[i] === sep) {
      result.push(chars.slice(start, i).join(""));
      start = i + 1;
      splits++;
    }
    if (i + 1 === chars.length || splits == maxsplit) {
      result.push(chars.slice(start).join(""));
      break;
    }
  }
  return result;
}
