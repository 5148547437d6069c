# Wrong: counts the flag for a default value (32) and custom data (64) too, which are to be ignored.
FLAGS = {"in": 1, "out": 2, "lcid": 4, "retval": 8, "optional": 16, "defaultvalue": 32, "custom": 64}


def encode_idl(names: list[str]) -> int:
    return sum(FLAGS.get(name, 0) for name in names)
