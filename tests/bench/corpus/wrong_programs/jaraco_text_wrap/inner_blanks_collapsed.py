# Wrong: runs of blanks between words become one when a line is wrapped
import textwrap

def wrap(s):
    paragraphs = s.splitlines()
    return "\n\n".join("\n".join(textwrap.wrap(p if len(p) <= 70 else " ".join(p.split()))) for p in paragraphs)
