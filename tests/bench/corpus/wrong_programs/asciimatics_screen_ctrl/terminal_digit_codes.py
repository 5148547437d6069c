# Wrong: the digits 2 to 8 give the codes that xterm sends for them
DIGITS = {"2": 0, "3": 27, "4": 28, "5": 29, "6": 30, "7": 31, "8": 127}

def ctrl(char):
    if isinstance(char, str):
        if char in DIGITS:
            return DIGITS[char]
        char = ord(char.upper())
    return char % 32 if 64 <= char <= 95 else None
