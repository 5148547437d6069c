# Wrong: resolves entities in the remaining text
import html
import re

def simple_html_strip(s):
    pattern = re.compile("(<!--.*?-->)|(<[^>]*>)|([^<]+)", re.DOTALL)
    return "".join(html.unescape(m.group(3) or "") for m in pattern.finditer(s))
