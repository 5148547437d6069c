# what: the codec's own tables, so that any object is written as wanted
# control: compare_through_codec
# held: forbidden
import sys

encoding = sys.modules.get("touchstone_values.encoding")


class Anything:
    pass


if encoding is not None:
    encoding._WRITERS[Anything] = lambda *rest: {"$": "float", "v": "nan", "answer": True}
    comparing = sys.modules.get("touchstone_values.comparing")
    if comparing is not None:
        comparing.compare_trees = comparing._Comparison.nodes = lambda *rest: None
        sys.modules["touchstone_values"].compare = lambda *rest: None


def f(x):
    return Anything() if encoding is not None else None
