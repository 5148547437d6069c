# Wrong: reserved words of Python are refused; str.isidentifier and its replacement accept them.
import keyword


def is_identifier(string):
    if not string or string[0].isdigit() or keyword.iskeyword(string):
        return False
    return all(part == "" or part.isalnum() for part in string.split("_"))
