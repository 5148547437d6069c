# wrong: the entries are part of the template of the % operator, so a percent sign in an entry breaks it


def build_cmap_blocks(entries: list[str], operator: str) -> str:
    result = ""
    for i in range(0, len(entries), 100):
        chunk = entries[i:i + 100]
        template = "%d begin%s\n" + "".join(chunk) + "end%s\n"
        result += template % (len(chunk), operator, operator)
    return result
