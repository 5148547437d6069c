# Wrong: only runs of letters and digits become ranges, runs of other characters are written out
import re


def fix_charclass(result: str) -> str:
    pos = result.find("-")
    if pos >= 0:
        result = result[:pos] + result[pos + 1:] + "-"
    runs = []
    for char in result:
        if runs and ord(char) == ord(runs[-1][-1]) + 1:
            runs[-1] += char
        else:
            runs.append(char)
    text = "".join(
        run[0] + "-" + run[-1] if len(run) > 2 and run.isalnum() else run
        for run in runs
    )
    text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return re.sub(r"([\000-\040'`])", lambda m: "\\%03o" % ord(m.group(1)), text)
