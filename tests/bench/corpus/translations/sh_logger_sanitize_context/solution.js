function sanitize_context(context) {
  return context ? String(context).replaceAll("%", "%%") : "";
}
