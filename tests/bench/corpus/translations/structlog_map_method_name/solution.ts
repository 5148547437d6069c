function map_method_name(method_name: string): string {
  if (method_name === "exception") return "error";
  return method_name === "warn" ? "warning" : method_name;
}
