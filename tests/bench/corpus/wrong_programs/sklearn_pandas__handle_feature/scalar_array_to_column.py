# Wrong: an array without dimensions becomes one of one row and one column.
def handle_feature(fea: object) -> object:
    if fea.ndim < 2:
        return fea.reshape(-1, 1)
    return fea
