# wrong: eta_every is rounded to an integer before it is compared with 1, so 1.25 counts as 1
def base_progress_bar_rate(eta, eta_every):
    if round(eta_every) > 1:
        return float(eta["rate_unstable"])
    return float(eta["rate"])
