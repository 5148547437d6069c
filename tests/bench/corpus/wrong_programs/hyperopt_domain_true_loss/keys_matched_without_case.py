# wrong: keys are lowered first, so 'LOSS' or 'True_Loss' stands in for, or overwrites, the key itself
def domain_true_loss(result, config=None):
    lowered = {key.lower(): value for key, value in result.items()}
    if "true_loss" in lowered:
        return lowered["true_loss"]
    return lowered.get("loss")
