function candidate_suffixes(fullname: string): string[] {
  const parts = fullname.split(".");
  const found = [""];
  for (let i = parts.length - 1; i >= 0; i--) found.push(parts.slice(i).join(".") + ".");
  return found;
}
