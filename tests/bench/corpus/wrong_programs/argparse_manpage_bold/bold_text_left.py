# Wrong: a text that is wholly in bold codes already is returned as it is
ON, OFF = "\\fB", "\\fR"

def bold(text):
    if isinstance(text, str):
        if text.startswith(ON) and text.endswith(OFF):
            return text
        text = text.replace("\\", "\\\\").replace("-", "\\-")
    return ON + str(text) + OFF
