# Wrong: two blanks are put after each full stop
import textwrap

def wrap(s):
    paragraphs = s.splitlines()
    return "\n\n".join("\n".join(textwrap.wrap(p, fix_sentence_endings=True)) for p in paragraphs)
