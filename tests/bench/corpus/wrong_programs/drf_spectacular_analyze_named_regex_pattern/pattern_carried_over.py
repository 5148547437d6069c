# Wrong: the buffer of the pattern is not emptied after a group, so a second group gets the first one's pattern too.
def analyze_named_regex_pattern(path):
    result = {}
    depth = 0
    in_name = in_regex = False
    name = regex = ""
    i = 0
    while i < len(path):
        step = 1
        keep = True
        c = path[i]
        if c == "\\":
            step = 2
        elif path.startswith("(?P<", i):
            in_name, keep, step = True, False, 4
        elif c == ">" and in_name:
            in_name, in_regex, keep = False, True, False
        elif c == "(" and in_regex and not in_name:
            depth += 1
        elif c == ")" and in_regex and not in_name:
            if depth == 0:
                result[name] = regex
                name = ""
                in_regex = False
            else:
                depth -= 1
        if keep and in_name:
            name += path[i:i + step]
        elif keep and in_regex:
            regex += path[i:i + step]
        i += step
    return result
