# Wrong: an opening bracket is closed with its partner
PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}

def bookend(string, fragment):
    if not string:
        return ""
    closing = PAIRS.get(fragment, fragment)
    if string.startswith(fragment) and string.endswith(closing):
        return string
    return fragment + string + closing
