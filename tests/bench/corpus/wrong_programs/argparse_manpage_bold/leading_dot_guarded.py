# Wrong: a dot or apostrophe at the beginning gets the groff guard \& although dots stay as they are
def bold(text):
    if isinstance(text, str):
        text = text.replace("\\", "\\\\").replace("-", "\\-")
        if text[:1] in (".", "'"):
            text = "\\&" + text
    return "\\fB{0}\\fR".format(text)
