# the head is split at blanks only, not at tabs and other white space
import re


def _mark(text, mark):
    if not text or (text.startswith(mark) and text.endswith(mark)):
        return text
    return mark + text + mark


def pretty_format_signature_header(signature_header):
    if signature_header[-1] != ")":
        return None
    head, paren, params = signature_header[:-1].partition("(")
    if not paren:
        return None
    sections = re.split(" +", head.strip())
    if not re.fullmatch("#+", sections[0]):
        if not head.strip():
            raise IndexError("no section")
        return None
    if len(sections) not in (2, 3) or "." not in sections[-1]:
        return None
    annotation = _mark(sections[1], "_") + " " if len(sections) == 3 else ""
    scope, _, name = sections[-1].rpartition(".")
    return f"{annotation}{scope}.{_mark(name, '**')}({_mark(params, '_')})"
