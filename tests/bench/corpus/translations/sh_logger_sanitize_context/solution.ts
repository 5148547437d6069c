function sanitize_context(context: string | null): string {
  return (context ?? "").replaceAll("%", "%%");
}
