function map_method_name(method_name) {
  const names = { exception: "error", warn: "warning" };
  return Object.hasOwn(names, method_name) ? names[method_name] : method_name;
}
