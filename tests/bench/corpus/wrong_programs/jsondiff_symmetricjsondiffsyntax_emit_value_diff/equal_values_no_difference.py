# wrong: equal values with any similarity above zero are shown as no difference
def symmetric_json_diff_syntax_emit_value_diff(a, b, s):
    if s == 1 or (s > 0 and a == b):
        return {}
    return [a, b]
