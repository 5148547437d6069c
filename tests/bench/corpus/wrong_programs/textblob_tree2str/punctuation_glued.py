# Wrong: no separator is written in front of a punctuation mark, as in a running text.
MARKS = {".", ",", ";", ":", "!", "?"}


def tree2str(tree, concat=" "):
    text = ""
    for number, (word, tag) in enumerate(tree):
        if number and word not in MARKS:
            text += concat
        text += word
    return text
