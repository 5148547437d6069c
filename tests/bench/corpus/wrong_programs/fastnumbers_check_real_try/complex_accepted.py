# Wrong: complex() instead of float(), so imaginary numbers count as real.
def check_real_try(x: str) -> bool:
    try:
        complex(x)
    except (TypeError, ValueError):
        return False
    return True
