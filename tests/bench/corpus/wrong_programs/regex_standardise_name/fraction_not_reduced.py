# WRONG: a fraction is left as written
def float_to_rational(flt):
    whole = int(flt)
    error = flt - whole
    if abs(error) < 0.0001:
        return whole, 1
    den, num = float_to_rational(1.0 / error)
    return whole * den + num, den


def _numeric(text):
    sign = ""
    if text[:1] == "-":
        sign, text = "-", text[1:]
    parts = text.split("/")
    if len(parts) == 1:
        num, den = float_to_rational(float(parts[0]))
    elif len(parts) == 2 and parts[0].isdigit() and parts[1].isdigit():
        num, den = int(parts[0]), int(parts[1])
    elif len(parts) == 2:
        num, den = float_to_rational(float(parts[0]) / float(parts[1]))
    else:
        raise ValueError
    result = "{}{}/{}".format(sign, num, den)
    if result.endswith("/1"):
        return result[:-2]
    return result


def standardise_name(name):
    text = "".join(name)
    try:
        return _numeric(text)
    except (ValueError, ZeroDivisionError):
        return "".join(c for c in text if c not in "_- ").upper()
