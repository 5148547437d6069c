# Wrong: drops the content of script elements too
import re

def simple_html_strip(s):
    s = re.sub(r"(?is)<script.*?</script>", "", s)
    pattern = re.compile("(<!--.*?-->)|(<[^>]*>)|([^<]+)", re.DOTALL)
    return "".join(m.group(3) or "" for m in pattern.finditer(s))
