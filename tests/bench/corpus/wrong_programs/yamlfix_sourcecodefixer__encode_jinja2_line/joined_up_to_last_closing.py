# wrong: greedy: joins from the first opening to the last closing of the line, with the text between two variables
def encode_jinja2_line(line):
    words = line.split(" ")
    start = None
    for i, word in enumerate(words):
        if "{{" in word and "}}" not in word:
            start = i
            break
    if start is None:
        return line
    closing = [i for i in range(start + 1, len(words)) if "}}" in words[i]]
    if not closing:
        return " ".join(words[:start])
    end = closing[-1]
    return " ".join(words[:start] + ["★".join(words[start:end + 1])] + words[end + 1:])
