# the keys of a mapping are read without regard to case
def split_words(entries):
    words, numbers = [], []
    for entry in entries:
        if isinstance(entry, str):
            words.append(entry)
            continue
        entry = {key.lower() if isinstance(key, str) else key: item for key, item in entry.items()}
        words.append(entry["value"])
        if entry.get("numfirst"):
            numbers.append(entry["value"])
    return (words, numbers)
