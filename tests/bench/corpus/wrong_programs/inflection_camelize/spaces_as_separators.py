# Wrong: spaces separate words too.
import re


def camelize(string, uppercase_first_letter=True):
    if uppercase_first_letter:
        return re.sub(r"(?:^|_|(?<=\w) (?=\w))(.)", lambda m: m.group(1).upper(), string)
    return string[:1].lower() + camelize(string)[1:]
