# wrong: asks for equal values besides a similarity of 1
def symmetric_json_diff_syntax_emit_value_diff(a, b, s):
    if s == 1 and a == b:
        return {}
    return [a, b]
