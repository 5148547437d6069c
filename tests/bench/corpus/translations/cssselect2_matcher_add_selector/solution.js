function truthy(x) {
  if (x === null || x === undefined || x === false || x === 0 || x === 0n || x === '') return false;
  if (Array.isArray(x)) return x.length > 0;
  if (x instanceof Map || x instanceof Set) return x.size > 0;
  if (typeof x === 'object') return Object.keys(x).length > 0;
  return true;
}

function toMap(m) {
  const out = new Map();
  if (m === null || m === undefined) return out;
  const entries = m instanceof Map ? m.entries() : Object.entries(m);
  for (const [k, v] of entries) out.set(k, v === null ? v : v.slice());
  return out;
}

/**
 * @returns {object}
 */
function matcher_add_selector(id_selectors, class_selectors, lower_local_name_selectors, namespace_selectors, lang_attr_selectors, other_selectors, order, selector, payload) {
  const result = {
    id_selectors: toMap(id_selectors),
    class_selectors: toMap(class_selectors),
    lower_local_name_selectors: toMap(lower_local_name_selectors),
    namespace_selectors: toMap(namespace_selectors),
    lang_attr_selectors: (lang_attr_selectors || []).slice(),
    other_selectors: (other_selectors || []).slice(),
    order: order + 1,
  };
  const get = (name) => {
    let x = null;
    if (selector instanceof Map) x = selector.get(name);
    else if (Object.prototype.hasOwnProperty.call(selector, name)) x = selector[name];
    return x === undefined ? null : x;
  };
  if (truthy(get('never_matches'))) return result;
  const entry = [get('test'), get('specificity'), result.order, get('pseudo_element'), payload === undefined ? null : payload];
  const add = (map, key) => {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(entry);
  };
  if (get('id') !== null) add(result.id_selectors, get('id'));
  else if (get('class_name') !== null) add(result.class_selectors, get('class_name'));
  else if (get('local_name') !== null) add(result.lower_local_name_selectors, get('lower_local_name'));
  else if (get('namespace') !== null) add(result.namespace_selectors, get('namespace'));
  else if (truthy(get('requires_lang_attr'))) result.lang_attr_selectors.push(entry);
  else result.other_selectors.push(entry);
  return result;
}

if (typeof module !== 'undefined') module.exports = { matcher_add_selector };
