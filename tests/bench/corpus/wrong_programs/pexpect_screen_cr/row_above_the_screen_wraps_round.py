# WRONG: a row above the first wraps round to the last row of the screen instead of stopping at the first.
def screen_cr(rows, cols, cur_r):
    if cur_r < 1:
        cur_r = (cur_r - 1) % rows + 1 if rows > 0 else 1
    elif cur_r > rows:
        cur_r = rows
    cur_c = 1
    if cur_c > cols:
        cur_c = cols
    return {"cur_r": cur_r, "cur_c": cur_c}
