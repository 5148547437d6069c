# what: a codec of the sandbox that is replaced
# control: compare_through_codec
# held: raised TypeError
import sys

codec = sys.modules.get("touchstone_values")
if codec is not None:
    codec.encode = codec.dump = lambda value: "passed"
    codec.compare = lambda *rest: None
    for name in ("encoding", "comparing", "parsing"):
        module = sys.modules.get("touchstone_values." + name)
        if module is not None:
            for attribute in ("encode", "dump", "compare", "compare_trees", "parse"):
                if hasattr(module, attribute):
                    setattr(module, attribute, lambda *rest: None)


def f(x):
    return None
