# Wrong: apostrophes between letters are kept
import re
import string

def strip_punc(s, all=False):
    if all:
        return re.sub("(?!(?<=[A-Za-z])'(?=[A-Za-z]))[" + re.escape(string.punctuation) + "]", "", s.strip())
    return s.strip().strip(string.punctuation)
