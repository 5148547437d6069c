# Wrong: a run of three is written out, a dash only from four on
def sequentize(string):
    runs = []
    for code in map(ord, string):
        if runs and runs[-1][1] + 1 == code:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    out = []
    for first, last in runs:
        out.append(chr(first))
        if last == first + 2:
            out.append(chr(first + 1))
        elif last > first + 2:
            out.append("-")
        if last != first:
            out.append(chr(last))
    return "".join(out)
