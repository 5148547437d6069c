# Wrong: typographic double quotes are doubled too
def quote(text):
    out = ""
    for c in str(text):
        out += c * 2 if c in "'‘’‚‛“”" else c
    return "'" + out + "'"

def powershell_hashtable(d):
    if not d:
        return "@{}"
    lines = []
    for key in sorted(d):
        values = d[key]
        if isinstance(values, dict):
            values = sorted(values)
        lines.append("    " + quote(key) + " = @(" + ", ".join(quote(v) for v in values) + ")")
    return "@{\n" + "\n".join(lines) + "\n}"
