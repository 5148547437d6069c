function import_string(names: ([string, string | null])[]): string {
  return names.map(([name, asname]) => (asname === null || asname === undefined ? name : name + " as " + asname)).join(", ");
}
