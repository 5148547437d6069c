# the empty text gives null instead of an error
def _mark(text, mark):
    if not text or (text.startswith(mark) and text.endswith(mark)):
        return text
    return mark + text + mark


def pretty_format_signature_header(signature_header):
    if not signature_header.endswith(")"):
        return None
    head, paren, params = signature_header[:-1].partition("(")
    if not paren:
        return None
    sections = head.split()
    if set(sections[0]) != {"#"}:
        return None
    if len(sections) not in (2, 3) or "." not in sections[-1]:
        return None
    annotation = _mark(sections[1], "_") + " " if len(sections) == 3 else ""
    scope, _, name = sections[-1].rpartition(".")
    return f"{annotation}{scope}.{_mark(name, '**')}({_mark(params, '_')})"
