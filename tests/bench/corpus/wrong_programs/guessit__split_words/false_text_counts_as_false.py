# the texts false, no, off and 0 under numfirst are taken for false
FALSE_TEXTS = {"", "false", "no", "off", "0"}


def split_words(entries):
    words, numbers = [], []
    for entry in entries:
        if isinstance(entry, str):
            words.append(entry)
            continue
        words.append(entry["value"])
        flag = entry.get("numfirst", False)
        if isinstance(flag, str):
            flag = flag.lower() not in FALSE_TEXTS
        if flag:
            numbers.append(entry["value"])
    return (words, numbers)
