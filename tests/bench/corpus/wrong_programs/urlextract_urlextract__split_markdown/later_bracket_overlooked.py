# wrong: a bracket behind the TLD is not seen, so such a text is treated like one without any bracket
def split_markdown(text_url, tld_pos):
    if tld_pos < 2:
        return text_url
    left = text_url.find("[", 0, tld_pos)
    if left > tld_pos - 3 or text_url.find(")") < tld_pos:
        return text_url
    middle = text_url.rfind("](")
    if middle <= tld_pos:
        return text_url
    return text_url[left + 1:middle]
