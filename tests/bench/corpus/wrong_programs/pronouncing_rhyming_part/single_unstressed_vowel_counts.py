# Wrong: in a word with one vowel that vowel counts even if unstressed
def rhyming_part(phones):
    parts = phones.split()
    vowels = [i for i, p in enumerate(parts) if p[-1].isdigit()]
    if len(vowels) == 1:
        return " ".join(parts[vowels[0]:])
    for i in range(len(parts) - 1, 0, -1):
        if parts[i][-1] in "12":
            return " ".join(parts[i:])
    return phones
