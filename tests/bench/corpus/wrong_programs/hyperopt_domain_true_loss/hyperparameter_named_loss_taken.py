# wrong: when the result holds no loss the value under 'loss' in the configuration (a hyperparameter) is returned
def domain_true_loss(result, config=None):
    if "true_loss" in result:
        return result["true_loss"]
    if "loss" in result:
        return result["loss"]
    if config:
        return config.get("loss")
    return None
