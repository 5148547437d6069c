# Wrong: only letters a to z are raised.
import re


def camelize(string, uppercase_first_letter=True):
    if uppercase_first_letter:
        return re.sub(r"(?:^|_)([A-Za-z0-9])", lambda m: m.group(1).upper(), string)
    return string[:1].lower() + camelize(string)[1:]
