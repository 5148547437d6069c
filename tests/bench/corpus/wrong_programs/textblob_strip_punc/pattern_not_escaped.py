# Wrong: the punctuation stands in the character class without escaping
import re
import string

def strip_punc(s, all=False):
    if all:
        return re.sub("[" + string.punctuation + "]", "", s.strip())
    return s.strip().strip(string.punctuation)
