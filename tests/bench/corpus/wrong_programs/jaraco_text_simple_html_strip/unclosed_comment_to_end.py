# Wrong: an unclosed comment is taken to run to the end
import re

def simple_html_strip(s):
    pattern = re.compile("(<!--.*?(?:-->|$))|(<[^>]*>)|([^<]+)", re.DOTALL)
    return "".join(m.group(3) or "" for m in pattern.finditer(s))
