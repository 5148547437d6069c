# Wrong: the step is found by a logarithm, which fails for zero.
import math


def pick_unit_and_suffix(size, suffixes, base):
    step = int(math.log(size, base) + 1e-9)
    step = min(step, len(suffixes) - 1)
    return base**step, suffixes[step]
