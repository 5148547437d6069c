# Wrong: takes everything but word characters and blanks for punctuation, so the underscore stays
import re
import string

def strip_punc(s, all=False):
    if all:
        return re.sub(r"[^\w\s\u0300-\u036f]", "", s.strip())
    return s.strip().strip(string.punctuation)
