# Wrong: opening and closing brackets are counted, whatever their order.
def more_than_one_index(s: str, brackets: int = 2) -> bool:
    return min(s.count("["), s.count("]")) >= brackets
