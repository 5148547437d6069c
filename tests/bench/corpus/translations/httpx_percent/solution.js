function PERCENT(string) {
  let out = "";
  for (const byte of new TextEncoder().encode(string)) out += "%" + byte.toString(16).toUpperCase().padStart(2, "0");
  return out;
}
