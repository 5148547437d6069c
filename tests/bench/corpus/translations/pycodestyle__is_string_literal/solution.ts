function is_string_literal(line: any): boolean {
  let all = typeof line === "string" ? Array.from(line) : line;
  if (all.length && "uUbB".includes(all[0])) all = all.slice(1);
  if (all.length && "rR".includes(all[0])) all = all.slice(1);
  return all.length > 0 && (all[0] === '"' || all[0] === "'");
}
