# Wrong: the initial tree goes before the tree that is asked for, where the node has an entry for it.
def node_is_leaf(successors, initial_tree_id, tree_id=None):
    for key in (initial_tree_id, tree_id):
        if key is not None and key in successors:
            return len(successors[key]) == 0
    return True
