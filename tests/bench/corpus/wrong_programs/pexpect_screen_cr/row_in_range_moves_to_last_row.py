# WRONG: the upper limit is set whenever the row differs from it, not only when the row is above it.
def screen_cr(rows, cols, cur_r):
    if cur_r < 1:
        cur_r = 1
    elif cur_r != rows:
        cur_r = rows
    cur_c = 1
    if cur_c > cols:
        cur_c = cols
    return {"cur_r": cur_r, "cur_c": cur_c}
