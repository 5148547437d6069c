function finder_add_provider(providers: (boolean | number | unknown[] | object | string | null)[], provider: boolean | number | unknown[] | object | string | null, pos: number | null = null): { providers: (boolean | number | unknown[] | object | string | null)[] } {
  if (pos === null || pos === undefined) {
    providers.push(provider);
  } else {
    const n = providers.length;
    let at = Number(pos);
    if (at < 0) at = Math.max(0, at + n);
    if (at > n) at = n;
    providers.splice(at, 0, provider);
  }
  return { providers: providers };
}
