# Wrong: a list is shown as its items with blanks between, not in its written form
def bold(text):
    if isinstance(text, (list, tuple)):
        text = " ".join(str(item) for item in text)
    elif isinstance(text, str):
        text = text.replace("\\", "\\\\").replace("-", "\\-")
    return "\\fB{0}\\fR".format(text)
