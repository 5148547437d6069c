# Wrong: without a maximum an old width is kept instead of going back to 4
def progress_bar_set_max_steps(step_width, mx):
    own_max = max(0, mx)
    if own_max:
        step_width = len(str(own_max))
    else:
        step_width = step_width if step_width > 0 else 4
    return {"max": own_max, "step_width": step_width}
