# Wrong: words longer than a line are left whole
import textwrap

def wrap(s):
    paragraphs = s.splitlines()
    return "\n\n".join("\n".join(textwrap.wrap(p, break_long_words=False)) for p in paragraphs)
