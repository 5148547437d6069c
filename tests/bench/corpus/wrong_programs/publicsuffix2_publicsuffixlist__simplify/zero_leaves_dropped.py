# Wrong: leaves that hold 0 are left out
def public_suffix_list_simplify(node):
    if len(node) == 1:
        return node[0]
    return (node[0], {k: public_suffix_list_simplify(v) for k, v in node[1].items() if not (len(v) == 1 and v[0] == 0)})
