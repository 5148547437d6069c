# Wrong: the width of a fraction is measured with one decimal
def progress_bar_set_max_steps(step_width, mx):
    own_max = max(0, mx)
    if own_max:
        step_width = len("%.1f" % own_max) if isinstance(own_max, float) else len(str(own_max))
    else:
        step_width = 4
    return {"max": own_max, "step_width": step_width}
