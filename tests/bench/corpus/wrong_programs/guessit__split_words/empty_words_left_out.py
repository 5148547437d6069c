# empty texts are left out
def split_words(entries):
    words, numbers = [], []
    for entry in entries:
        value, flag = (entry, False) if isinstance(entry, str) else (entry["value"], entry.get("numfirst"))
        if not value:
            continue
        words.append(value)
        if flag:
            numbers.append(value)
    return (words, numbers)
