function balance_code_fences(text: string): string {
  const isBlank = (c: number): boolean =>
    (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c === 0x85 || c === 0xa0 || c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
  const strip = (s: string): string => {
    let a = 0;
    let b = s.length;
    while (a < b && isBlank(s.charCodeAt(a))) a++;
    while (b > a && isBlank(s.charCodeAt(b - 1))) b--;
    return s.slice(a, b);
  };
  const out: string[] = [];
  let open = false;
  for (const line of text.split("\n")) {
    let i = 0;
    while (i < line.length && isBlank(line.charCodeAt(i))) i++;
    let j = i;
    while (j < line.length && line[j] === "`") j++;
    if (j - i < 3) {
      out.push(line);
    } else if (!open) {
      open = true;
      out.push(line);
    } else {
      open = false;
      out.push(line.slice(0, j));
      const rest = strip(line.slice(j));
      if (rest !== "") out.push(rest);
    }
  }
  if (open) out.push("```");
  return out.join("\n");
}
