# wrong: only the integer 1 counts, not 1.0
def symmetric_json_diff_syntax_emit_value_diff(a, b, s):
    if isinstance(s, int) and s == 1:
        return {}
    return [a, b]
