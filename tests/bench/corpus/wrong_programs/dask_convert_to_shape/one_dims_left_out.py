# WRONG: dimensions of length one are not put in
from functools import reduce
from operator import mul


def convert_to_shape(shape, mapper_in, one_dims):
    out = [[] for _ in range(len(set(mapper_in.values())))]
    for src in sorted(mapper_in):
        out[mapper_in[src]].append(shape[src])
    return tuple(reduce(mul, xs, 1) for xs in out)
