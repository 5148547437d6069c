# Wrong: a piece made only of blanks is left as it is, though every piece without the mark has to get it.
def make_important(bulk):
    out = []
    for piece in bulk.split(";"):
        if piece.isspace() or piece.endswith("!important"):
            out.append(piece)
        else:
            out.append("%s !important" % piece)
    return ";".join(out)
