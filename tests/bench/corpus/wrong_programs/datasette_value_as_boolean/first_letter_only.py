# WRONG: only the first letter is looked at, off begins like on
def value_as_boolean(value):
    return value.lower()[0] in "ot1"
