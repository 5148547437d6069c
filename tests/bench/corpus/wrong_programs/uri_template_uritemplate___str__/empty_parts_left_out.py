# wrong: empty sequences and maps are written as nothing, not as [] and {}
def uri_template_str(expansions):
    text = ""
    for part in expansions:
        if part in ([], {}, ""):
            continue
        if isinstance(part, dict):
            part = dict(sorted(part.items()))
        text += str(part)
    return text
