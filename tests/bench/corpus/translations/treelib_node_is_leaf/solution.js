function empty(x) {
  if (x === null || x === undefined || x === false || x === 0 || x === 0n || x === '') return true;
  if (Array.isArray(x)) return x.length === 0;
  if (x instanceof Map || x instanceof Set) return x.size === 0;
  if (typeof x === 'object') return Object.keys(x).length === 0;
  return false;
}

/**
 * @param {Record<string, boolean | number | unknown[] | object | string | null>} successors
 * @param {string | null} initial_tree_id
 * @param {string | null} tree_id
 * @returns {boolean}
 */
function node_is_leaf(successors, initial_tree_id, tree_id = null) {
  const id = tree_id === null || tree_id === undefined ? initial_tree_id : tree_id;
  if (id === null || id === undefined) return true;
  if (successors instanceof Map) return !successors.has(id) || empty(successors.get(id));
  if (!Object.prototype.hasOwnProperty.call(successors, id)) return true;
  return empty(successors[id]);
}

if (typeof module !== 'undefined') module.exports = { node_is_leaf };
