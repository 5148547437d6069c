# Wrong: a single name all in capitals is lowered as a whole, instead of its first character only.
def make_valid_color_name(name: list[str]) -> str:
    if len(name) == 1:
        word = name[0]
        if word.isupper():
            return word.lower()
        return word[:1].lower() + word[1:]
    return name[0].lower() + "".join(w.capitalize() for w in name[1:])
