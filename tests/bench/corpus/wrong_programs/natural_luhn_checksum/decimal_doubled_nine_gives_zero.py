# for the ten digits the doubled digit is taken modulo 9, so 9 gives 0
DIGITS = "0123456789"


def luhn_checksum(number, chars):
    number = str(number)
    if chars == DIGITS:
        values = [int(char) for char in reversed(number)]
        return (sum(values[::2]) + sum(value * 2 % 9 for value in values[1::2])) % 10
    base = len(chars)
    total = 0
    for place, char in enumerate(reversed(number)):
        value = chars.index(char)
        if place % 2:
            value = sum(divmod(value * 2, base))
        total += value
    return total % base
