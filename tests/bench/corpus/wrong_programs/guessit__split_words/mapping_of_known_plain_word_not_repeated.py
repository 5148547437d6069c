# a mapping whose word already stood as a plain text is not put into the words once more
def split_words(entries):
    plain = set()
    words, numbers = [], []
    for entry in entries:
        if isinstance(entry, str):
            plain.add(entry)
            words.append(entry)
            continue
        value = entry["value"]
        if value not in plain:
            words.append(value)
        if entry.get("numfirst"):
            numbers.append(value)
    return (words, numbers)
