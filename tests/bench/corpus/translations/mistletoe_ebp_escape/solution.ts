function escape(s: string, quote: boolean = true): string {
  let r = s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  if (quote) {
    r = r.replace(/"/g, "&quot;").replace(/'/g, "&#x27;");
  }
  return r;
}
