# wrong: both rates are read beforehand, so a map that holds only the unstable rate fails
def base_progress_bar_rate(eta, eta_every):
    stable, unstable = eta["rate"], eta.get("rate_unstable")
    chosen = unstable if eta_every > 1 else stable
    return float(chosen)
