# wrong: a text without any closing parenthesis is split as well
def split_markdown(text_url, tld_pos):
    left = text_url.find("[")
    if left > tld_pos - 3:
        return text_url
    right = text_url.find(")")
    if right != -1 and right < tld_pos:
        return text_url
    middle = text_url.rfind("](")
    if middle > tld_pos:
        return text_url[left + 1:middle]
    return text_url
