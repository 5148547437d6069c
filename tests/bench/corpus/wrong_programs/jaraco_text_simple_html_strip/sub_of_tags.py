# Wrong: removes tags by substitution, so a lone < that is never closed stays
import re

def simple_html_strip(s):
    if s.count("<") == 1 and ">" not in s:
        return s
    pattern = re.compile("(<!--.*?-->)|(<[^>]*>)|([^<]+)", re.DOTALL)
    return "".join(m.group(3) or "" for m in pattern.finditer(s))
