# wrong: keys are ordered as texts, so that 10 comes before 2
def ordered(value):
    if isinstance(value, dict):
        return {k: ordered(value[k]) for k in sorted(value, key=str)}
    if isinstance(value, list):
        return [ordered(v) for v in value]
    return value


def uri_template_str(expansions):
    return "".join(str(ordered(part)) for part in expansions)
