# wrong: the last "]" is taken for the middle, whether or not "(" follows
def split_markdown(text_url, tld_pos):
    start = text_url.find("[")
    if start > tld_pos - 3:
        return text_url
    if text_url.find(")") < tld_pos:
        return text_url
    middle = text_url.rfind("]")
    return text_url[start + 1:middle] if middle > tld_pos else text_url
