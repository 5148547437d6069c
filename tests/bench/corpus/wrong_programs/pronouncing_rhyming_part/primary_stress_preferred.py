# Wrong: looks for a primary stress first and takes a secondary one only if there is none
def rhyming_part(phones):
    parts = phones.split()
    for mark in "12":
        for i in range(len(parts) - 1, -1, -1):
            if parts[i][-1] == mark and len(parts) > 1:
                return " ".join(parts[i:])
    return phones
