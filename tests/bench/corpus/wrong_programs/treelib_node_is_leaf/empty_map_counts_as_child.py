# Wrong: compares with an empty list or text, so that an empty map of children counts as children.
def node_is_leaf(successors, initial_tree_id, tree_id=None):
    if tree_id is None:
        tree_id = initial_tree_id
    children = successors.get(tree_id, [])
    return children == [] or children == ""
