# hyphens in the number are skipped even where the hyphen is one of the chars
DIGITS = "0123456789"


def luhn_checksum(number, chars):
    number = str(number)
    number = number.replace("-", "")
    base = len(chars)
    total = 0
    for place, char in enumerate(reversed(number)):
        value = chars.index(char)
        if place % 2:
            value = sum(divmod(value * 2, base))
        total += value
    return total % base
