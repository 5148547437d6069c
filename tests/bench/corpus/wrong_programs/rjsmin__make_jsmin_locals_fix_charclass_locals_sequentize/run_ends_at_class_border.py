# Wrong: a run ends where upper case, digits or others meet
def sequentize(string):
    runs = []
    for code in map(ord, string):
        if runs and runs[-1][1] + 1 == code and chr(code).isalnum() == chr(code - 1).isalnum():
            runs[-1][1] = code
        else:
            runs.append([code, code])
    out = []
    for first, last in runs:
        out.append(chr(first))
        if last > first + 1:
            out.append("-")
        if last != first:
            out.append(chr(last))
    return "".join(out)
