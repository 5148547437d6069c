# Wrong: lines are not broken after hyphens
import textwrap

def wrap(s):
    paragraphs = s.splitlines()
    return "\n\n".join("\n".join(textwrap.wrap(p, break_on_hyphens=False)) for p in paragraphs)
