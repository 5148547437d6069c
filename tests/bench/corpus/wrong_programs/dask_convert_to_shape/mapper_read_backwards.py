# WRONG: the map is read from output to input
from functools import reduce
from operator import mul


def convert_to_shape(shape, mapper_in, one_dims):
    out = [[] for _ in range(len(set(mapper_in.values())) + len(one_dims))]
    for src in sorted(mapper_in):
        out[src].append(shape[mapper_in[src]])
    for i in one_dims:
        out[i].append(1)
    return tuple(reduce(mul, xs, 1) for xs in out)
