# Wrong: a float without fraction is measured as an integer
def progress_bar_set_max_steps(step_width, mx):
    own_max = max(0, mx)
    if own_max:
        step_width = len(str(int(own_max) if own_max == int(own_max) else own_max))
    else:
        step_width = 4
    return {"max": own_max, "step_width": step_width}
