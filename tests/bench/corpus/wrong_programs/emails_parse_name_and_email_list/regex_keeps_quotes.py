# wrong: takes "name <email>" apart with a regular expression, so quotation marks stay in the name
import re

_ADDRESS = re.compile(r"^\s*(.*?)\s*<([^>]*)>?\s*$", re.S)


def _parse(element):
    if isinstance(element, (list, tuple)):
        name, email = element
        return (name or None, email or None)
    match = _ADDRESS.match(element)
    if match:
        return (match.group(1) or None, match.group(2) or None)
    words = element.split()
    return (None, words[0] if words else None)


def parse_name_and_email_list(elements: list[object] | str | None, encoding: str = 'utf-8') -> list[list[bool | int | list[object] | str | None]]:
    if not elements:
        return []
    if isinstance(elements, str):
        return [_parse(elements)]
    if isinstance(elements, tuple) and len(elements) == 2:
        name, email = elements
        if isinstance(email, str) and (not name or isinstance(name, str)):
            return [_parse(elements)]
    return [_parse(element) for element in elements]
