# WRONG: dimensions of length one are put last wherever they belong
from functools import reduce
from operator import mul


def convert_to_shape(shape, mapper_in, one_dims):
    out = [[] for _ in range(len(set(mapper_in.values())) + len(one_dims))]
    for src in sorted(mapper_in):
        out[mapper_in[src]].append(shape[src])
    out = [xs for xs in out if xs] + [[1] for _ in one_dims]
    return tuple(reduce(mul, xs, 1) for xs in out)
