# Wrong: with False the first letter stays as it is.
import re


def camelize(string, uppercase_first_letter=True):
    if uppercase_first_letter:
        return re.sub(r"(?:^|_)(.)", lambda m: m.group(1).upper(), string)
    return string[:1] + camelize(string)[1:]
