# Wrong: tests whether any child is true, so that children whose identifier is 0 or empty are not counted.
def node_is_leaf(successors, initial_tree_id, tree_id=None):
    if tree_id is None:
        tree_id = initial_tree_id
    return not any(successors.get(tree_id, ()))
