function sanitize_context(context: number | string | null): string {
  return context ? String(context).replaceAll("%", "%%") : "";
}
