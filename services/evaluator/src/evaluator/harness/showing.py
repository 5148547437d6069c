"""What a draft gave, as data that a model can be shown: pictures as SVG, tensors as arrays.

Runs in the sandbox behind a draft, under names of its own; the platform reads this file as text and never imports it.
"""

# A draft may bring libraries that ship no types, and none of them is installed where this is checked.
# pyright: basic

import io
import sys

_DEPTH = 3
_MOST_PICTURES = 2
_MOST_SVG = 200_000


def touchstone_shown(value, depth=_DEPTH):
    """The value with each picture and tensor in it replaced; everything else stays what it is."""
    drawn = _svg(value)
    if drawn is not None:
        return {"$picture": type(value).__name__, "svg": drawn[:_MOST_SVG]}
    if type(value) in (list, tuple) and depth:
        return type(value)(touchstone_shown(item, depth - 1) for item in value)
    if type(value) is dict and depth:
        return {key: touchstone_shown(item, depth - 1) for key, item in value.items()}
    return _array(value)


def touchstone_drawn():
    """Figures that a draft drew without returning them, and closes them, so that the next call begins anew."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()[:_MOST_PICTURES]]
    shown = [touchstone_shown(figure) for figure in figures]
    pyplot.close("all")
    return shown


def _svg(value):
    """A picture as SVG text, by the ways in which libraries offer one; None for what is no picture."""
    kind = type(value)
    if hasattr(kind, "_repr_svg_"):
        text = value._repr_svg_()
        return text if isinstance(text, str) else None
    if not kind.__module__.startswith("matplotlib."):
        return None
    figure = value if hasattr(kind, "savefig") else getattr(value, "figure", None)
    if not hasattr(figure, "savefig"):
        return None
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "touchstone"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def _array(value):
    """A tensor as the array that it is; anything else as it came."""
    known = type(value).__module__.partition(".")[0]
    if known in ("builtins", "numpy", "pandas") or not hasattr(type(value), "__array__"):
        return value
    tensor = value.detach().cpu() if hasattr(value, "detach") else value
    import numpy

    return {"$tensor": type(value).__name__, "array": numpy.asarray(tensor)}
