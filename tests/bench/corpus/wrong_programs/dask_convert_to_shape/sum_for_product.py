# WRONG: merged dimensions are added instead of multiplied
def convert_to_shape(shape, mapper_in, one_dims):
    out = [[] for _ in range(len(set(mapper_in.values())) + len(one_dims))]
    for src in sorted(mapper_in):
        out[mapper_in[src]].append(shape[src])
    for i in one_dims:
        out[i].append(1)
    return tuple(sum(xs) for xs in out)
