function bufsize_type_to_bufsize(bf_type: number): number {
  if (bf_type === 0) return 1;
  return bf_type === 1 ? 1024 : bf_type;
}
