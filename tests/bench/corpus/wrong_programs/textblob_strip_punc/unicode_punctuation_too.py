# Wrong: dashes and typographic quotes are removed as well
import re
import string

def strip_punc(s, all=False):
    if all:
        return re.sub("[" + re.escape(string.punctuation) + "]", "", s.strip())
    return s.strip().strip(string.punctuation + "“”‘’–—…")
