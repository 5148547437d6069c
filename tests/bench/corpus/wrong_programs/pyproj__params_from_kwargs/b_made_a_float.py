# wrong: turns b into a number with a decimal point
import math


def params_from_kwargs(kwargs: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> list[float]:
    a = kwargs["a"]
    if "b" in kwargs:
        b = float(kwargs["b"])
        f = (a - b) / a
        es = 1 - (b / a) ** 2
    elif "rf" in kwargs:
        f = 1.0 / kwargs["rf"]
        b = a * (1.0 - f)
        es = 1 - (b / a) ** 2
    elif "f" in kwargs:
        f = kwargs["f"]
        b = a * (1.0 - f)
        es = 1 - (b / a) ** 2
    elif "es" in kwargs:
        es = kwargs["es"]
        b = math.sqrt(a**2 - es * a**2)
        f = (a - b) / a
    elif "e" in kwargs:
        es = kwargs["e"] ** 2
        b = math.sqrt(a**2 - es * a**2)
        f = (a - b) / a
    else:
        b, f, es = a, 0.0, 0.0
    return (a, b, f, es)
