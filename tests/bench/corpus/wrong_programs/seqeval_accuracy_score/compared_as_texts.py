# Wrong: labels are compared as texts, so 1 equals "1"
def accuracy_score(y_true: list[int | list[object] | str], y_pred: list[list[str]]) -> float:
    if any(isinstance(s, list) for s in y_true):
        y_true = [x for s in y_true for x in s]
        y_pred = [x for s in y_pred for x in s]
    right = sum(1 for t, p in zip(y_true, y_pred) if str(t) == str(p))
    return right / len(y_true)
