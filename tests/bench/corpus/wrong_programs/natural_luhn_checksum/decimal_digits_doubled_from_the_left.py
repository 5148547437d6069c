# for the ten digits every second digit is doubled from the left, which is right for even lengths only
DIGITS = "0123456789"


def luhn_checksum(number, chars):
    number = str(number)
    if chars == DIGITS:
        total = 0
        for place, char in enumerate(number):
            value = int(char)
            if place % 2 == 0:
                value = value * 2 - 9 if value > 4 else value * 2
            total += value
        return total % 10
    base = len(chars)
    total = 0
    for place, char in enumerate(reversed(number)):
        value = chars.index(char)
        if place % 2:
            value = sum(divmod(value * 2, base))
        total += value
    return total % base
