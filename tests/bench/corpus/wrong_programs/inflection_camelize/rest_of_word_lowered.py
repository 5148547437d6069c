# Wrong: each word is capitalised, which lowers the rest.
import re


def camelize(string, uppercase_first_letter=True):
    result = re.sub(r"(?:^|_)([^_]+)", lambda m: m.group(1).capitalize(), string)
    if uppercase_first_letter:
        return result
    return result[:1].lower() + result[1:]
