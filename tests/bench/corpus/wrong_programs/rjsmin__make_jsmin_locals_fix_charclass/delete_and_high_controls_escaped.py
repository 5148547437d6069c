# Wrong: DEL and the controls up to U+009F are written in octal as well
import re

def fix_charclass(result: str) -> str:
    pos = result.find("-")
    if pos >= 0:
        result = result[:pos] + result[pos + 1:] + "-"
    codes = [ord(c) for c in result]
    out = []
    i = 0
    while i < len(codes):
        j = i
        while j + 1 < len(codes) and codes[j + 1] == codes[j] + 1:
            j += 1
        out.append(chr(codes[i]))
        if j > i + 1:
            out.append("-")
        if j > i:
            out.append(chr(codes[j]))
        i = j + 1
    text = "".join(out).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return re.sub(r'''([\000-\040\177-\237'`])''', lambda m: "\\%03o" % ord(m.group(1)), text)
