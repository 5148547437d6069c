/**
 * @param {string | null} initial_tree_id
 * @param {string} tree_id
 * @returns {{ initial_tree_id: string }}
 */
function node_set_initial_tree_id(initial_tree_id, tree_id) {
  const known = initial_tree_id !== null && initial_tree_id !== undefined;
  return { initial_tree_id: known ? initial_tree_id : tree_id };
}

if (typeof module !== "undefined" && module.exports) module.exports = { node_set_initial_tree_id };
