# Wrong: condenses only the children of the top node
def public_suffix_list_simplify(node):
    if len(node) == 1:
        return node[0]
    return (node[0], {k: (v[0] if len(v) == 1 else v) for k, v in node[1].items()})
