# Ignores white space around a text when it looks for the key.
def _plain(value):
    return value.strip() if isinstance(value, str) else value


def cls_function_understands(body, item):
    if isinstance(body, dict):
        try:
            return _plain(item) in {_plain(key) for key in body}
        except TypeError:
            return False
    try:
        body[item]
    except (IndexError, TypeError):
        return False
    return True
