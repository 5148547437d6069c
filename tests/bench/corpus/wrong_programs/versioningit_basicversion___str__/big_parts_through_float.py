# The parts are formatted through floating point, so those beyond 2**53 lose their last digits.
def basic_version_str(epoch: int, release: list[int]) -> str:
    text = ".".join("%.0f" % part for part in release)
    if epoch > 0:
        text = f"{epoch}!{text}"
    return text
