# Wrong: an array of a single row is turned into a column as well.
def handle_feature(fea: object) -> object:
    if fea.ndim == 1 or (fea.ndim == 2 and fea.shape[0] == 1):
        return fea.reshape(-1, 1)
    return fea
