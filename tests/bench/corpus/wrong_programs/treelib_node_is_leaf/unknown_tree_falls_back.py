# Wrong: a tree that the node has no entry for falls back to the initial tree; the node has no children there.
def node_is_leaf(successors, initial_tree_id, tree_id=None):
    if tree_id is None or tree_id not in successors:
        tree_id = initial_tree_id
    return len(successors.get(tree_id, ())) == 0
