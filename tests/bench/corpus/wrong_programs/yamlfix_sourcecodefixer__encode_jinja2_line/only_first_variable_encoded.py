# wrong: only the first variable of a line is encoded
def encode_jinja2_line(line):
    done = []
    variable = None
    seen = False
    for word in line.split(" "):
        if variable is not None:
            variable += "★" + word
            if "}}" in word:
                done.append(variable)
                variable = None
                seen = True
        elif not seen and "{{" in word and "}}" not in word:
            variable = word
        else:
            done.append(word)
    return " ".join(done)
