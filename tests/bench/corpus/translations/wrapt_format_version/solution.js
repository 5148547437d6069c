function format_version(parts) {
  const shown = parts.slice(0, 3).join(".");
  if (parts.length <= 3) return shown;
  return shown + (/^(dev|post)/.test(parts[3]) ? "." : "") + parts[3];
}
