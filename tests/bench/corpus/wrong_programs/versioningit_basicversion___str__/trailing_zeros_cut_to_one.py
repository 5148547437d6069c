# Several zeros at the end of the release are cut down to one.
def basic_version_str(epoch: int, release: list[int]) -> str:
    parts = list(release)
    while len(parts) > 1 and parts[-1] == 0 and parts[-2] == 0:
        parts.pop()
    text = ".".join(str(part) for part in parts)
    if epoch > 0:
        text = f"{epoch}!{text}"
    return text
