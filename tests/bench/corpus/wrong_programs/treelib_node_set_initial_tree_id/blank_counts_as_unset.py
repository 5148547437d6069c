# Wrong: an identifier of blanks alone counts as not set and is replaced.
def node_set_initial_tree_id(initial_tree_id, tree_id):
    if initial_tree_id is None or initial_tree_id.isspace():
        initial_tree_id = tree_id
    return {"initial_tree_id": initial_tree_id}
