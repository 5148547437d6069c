# what: an array whose comparison is always true
# control: compare_numpy
# held: raised UnportableError
import numpy


class Yes(numpy.ndarray):
    def __array_function__(self, *rest):
        return True

    def __array_ufunc__(self, *rest, **more):
        return True

    def __eq__(self, other):
        return True


def f(x):
    return numpy.zeros(1).view(Yes)
