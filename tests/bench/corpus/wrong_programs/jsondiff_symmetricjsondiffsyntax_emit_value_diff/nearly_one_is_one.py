# wrong: a similarity that is merely close to 1 counts as equal
import math


def symmetric_json_diff_syntax_emit_value_diff(a, b, s):
    if math.isclose(s, 1.0):
        return {}
    return [a, b]
