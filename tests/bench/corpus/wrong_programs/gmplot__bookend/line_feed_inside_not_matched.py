# Wrong: the pattern between the ends does not match line feeds, so such a text is wrapped again
import re

def bookend(string, fragment):
    if not string:
        return string
    f = re.escape(fragment)
    if re.fullmatch("(?=" + f + ").*(?<=" + f + ")", string):
        return string
    return fragment + string + fragment
