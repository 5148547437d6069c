# Wrong: S- counts as B- and E- as I-
def _iob(tag):
    if isinstance(tag, str) and tag[:2] in ("S-", "E-"):
        return {"S-": "B-", "E-": "I-"}[tag[:2]] + tag[2:]
    return tag

def accuracy_score(y_true: list[int | list[object] | str], y_pred: list[list[str]]) -> float:
    if any(isinstance(s, list) for s in y_true):
        y_true = [x for s in y_true for x in s]
        y_pred = [x for s in y_pred for x in s]
    right = sum(1 for t, p in zip(y_true, y_pred) if _iob(t) == _iob(p))
    return right / len(y_true)
