# A release that consists of zeros only is taken as an empty one.
def basic_version_str(epoch: int, release: list[int]) -> str:
    text = ".".join(str(part) for part in release) if any(release) else ""
    if epoch > 0:
        text = f"{epoch}!{text}"
    return text
