# wrong: reads the number with a regular expression of its own that knows no sign in the exponent
import re

NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]\d+)?)\s*")


def base_progress_bar_rate(eta, eta_every):
    text = eta["rate_unstable"] if eta_every > 1 else eta["rate"]
    match = NUMBER.fullmatch(text)
    if not match:
        raise ValueError("not a number: %r" % text)
    return float(match.group(1))
