# Wrong: a node below the top with an empty map is condensed too
def public_suffix_list_simplify(node):
    if len(node) == 1:
        return node[0]
    return (node[0], {k: (v[0] if len(v) == 2 and v[1] == {} else public_suffix_list_simplify(v)) for k, v in node[1].items()})
