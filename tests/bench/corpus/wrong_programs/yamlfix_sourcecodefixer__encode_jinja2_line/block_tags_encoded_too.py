# wrong: {% … %} tags are joined as well; only variables in {{ }} are
import re


def encode_jinja2_line(line):
    done = []
    variable = None
    for word in line.split(" "):
        if variable is not None:
            variable += "★" + word
            if re.search(r"\}\}|%\}", word):
                done.append(variable)
                variable = None
        elif re.search(r"\{\{|\{%", word) and not re.search(r"\}\}|%\}", word):
            variable = word
        else:
            done.append(word)
    return " ".join(done)
