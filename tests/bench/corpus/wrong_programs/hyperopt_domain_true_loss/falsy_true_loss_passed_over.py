# wrong: a true loss of 0 (or false, empty) counts as missing when there is a loss
def domain_true_loss(result, config=None):
    if result.get("true_loss"):
        return result["true_loss"]
    return result.get("loss", result.get("true_loss"))
