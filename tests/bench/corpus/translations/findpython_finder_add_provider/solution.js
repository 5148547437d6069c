/**
 * @param {(boolean | number | unknown[] | object | string | null)[]} providers
 * @param {boolean | number | unknown[] | object | string | null} provider
 * @param {number | null} pos
 * @returns {{ providers: (boolean | number | unknown[] | object | string | null)[] }}
 */
function finder_add_provider(providers, provider, pos = null) {
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
