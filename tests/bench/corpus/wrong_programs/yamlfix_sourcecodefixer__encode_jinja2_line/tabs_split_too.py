# wrong: splits at tabs as well as at spaces, so a tab becomes a space (or the special character)
import re


def encode_jinja2_line(line):
    done = []
    variable = None
    for word in re.split(r"[ \t]", line):
        if variable is not None:
            variable += "★" + word
            if "}}" in word:
                done.append(variable)
                variable = None
        elif "{{" in word and "}}" not in word:
            variable = word
        else:
            done.append(word)
    return " ".join(done)
