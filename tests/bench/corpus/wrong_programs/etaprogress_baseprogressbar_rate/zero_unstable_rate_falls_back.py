# wrong: an unstable rate of 0 counts as missing, and the stable one is taken instead
def base_progress_bar_rate(eta, eta_every):
    if eta_every > 1:
        return float(eta["rate_unstable"]) or float(eta["rate"])
    return float(eta["rate"])
