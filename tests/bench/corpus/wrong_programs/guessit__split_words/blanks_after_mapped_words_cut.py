# blanks at the end of words given in mappings are cut off
def split_words(entries):
    words, numbers = [], []
    for entry in entries:
        if isinstance(entry, str):
            words.append(entry)
            continue
        value = entry["value"]
        if isinstance(value, str):
            value = value.rstrip()
        words.append(value)
        if entry.get("numfirst"):
            numbers.append(value)
    return (words, numbers)
