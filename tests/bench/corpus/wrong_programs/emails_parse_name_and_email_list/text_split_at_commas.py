# wrong: a text is read with getaddresses as a list of addresses, though it is one element
from email.utils import getaddresses, parseaddr


def _parse(element):
    if isinstance(element, (list, tuple)):
        name, email = element
    else:
        name, email = parseaddr(element)
    return (name or None, email or None)


def parse_name_and_email_list(elements: list[object] | str | None, encoding: str = 'utf-8') -> list[list[bool | int | list[object] | str | None]]:
    if not elements:
        return []
    if isinstance(elements, str):
        found = getaddresses([elements])
        return [(name or None, email or None) for name, email in found] or [(None, None)]
    if isinstance(elements, tuple) and len(elements) == 2:
        name, email = elements
        if isinstance(email, str) and (not name or isinstance(name, str)):
            return [_parse(elements)]
    return [_parse(element) for element in elements]
