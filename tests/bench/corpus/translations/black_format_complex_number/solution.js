function format_complex_number(text) {
  const all = Array.from(text);
  const number = all.slice(0, -1).join(""), suffix = all.slice(-1).join("");
  if (!number.includes(".")) return number + suffix;
  const parts = number.split(".");
  if (parts.length > 2) throw new Error("two points");
  return (parts[0] || "0") + "." + (parts[1] || "0") + suffix;
}
