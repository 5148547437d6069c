function path_join(path: (number | unknown[] | object | string | null)[], key: string | null): (number | unknown[] | object | string | null)[] {
  return key === null || key === undefined ? [...path] : [...path, key];
}
