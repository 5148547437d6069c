# Wrong: keeps the old width where it is larger than the new maximum needs
def progress_bar_set_max_steps(step_width, mx):
    own_max = max(0, mx)
    if own_max:
        step_width = max(step_width, len(str(own_max)))
    else:
        step_width = 4
    return {"max": own_max, "step_width": step_width}
