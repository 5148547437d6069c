# The epoch 0 is removed by stripping the characters 0 and ! from the left, which takes a leading zero of the release too.
def basic_version_str(epoch: int, release: list[int]) -> str:
    text = f"{max(epoch, 0)}!" + ".".join(str(part) for part in release)
    return text.lstrip("0!")
