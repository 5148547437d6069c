# Wrong: casefold() instead of lower() for the first word, so a sharp s is spelt out.
def make_valid_color_name(name: list[str]) -> str:
    head = name[0]
    if len(name) == 1:
        return head[:1].casefold() + head[1:]
    return head.casefold() + "".join(part.capitalize() for part in name[1:])
