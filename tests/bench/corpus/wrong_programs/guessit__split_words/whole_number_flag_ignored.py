# only true itself or a text that is not empty counts under numfirst, the number 1 does not
def split_words(entries):
    words, numbers = [], []
    for entry in entries:
        if isinstance(entry, dict):
            value = entry["value"]
            flag = entry.get("numfirst")
            words.append(value)
            if flag is True or (isinstance(flag, str) and flag):
                numbers.append(value)
        else:
            words.append(entry)
    return (words, numbers)
