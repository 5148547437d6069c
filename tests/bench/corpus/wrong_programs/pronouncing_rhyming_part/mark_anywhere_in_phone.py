# Wrong: a 1 or 2 anywhere in a phone counts
def rhyming_part(phones):
    parts = phones.split()
    for i in range(len(parts) - 1, 0, -1):
        if "1" in parts[i] or "2" in parts[i]:
            return " ".join(parts[i:])
    return phones
