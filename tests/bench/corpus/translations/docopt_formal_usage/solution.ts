function formal_usage(printable_usage: string): string {
  const parts = printable_usage.split(/\s+/).filter((part) => part).slice(1);
  return "( " + parts.slice(1).map((part) => (part === parts[0] ? ") | (" : part)).join(" ") + " )";
}
