# WRONG: rows are taken to count from 0, so a row of 0 (false) is left as it is instead of becoming 1.
def screen_cr(rows, cols, cur_r):
    if not 0 <= cur_r < rows:
        if cur_r < 1:
            cur_r = 1
        elif cur_r > rows:
            cur_r = rows
    cur_c = 1
    if cur_c > cols:
        cur_c = cols
    return {"cur_r": cur_r, "cur_c": cur_c}
