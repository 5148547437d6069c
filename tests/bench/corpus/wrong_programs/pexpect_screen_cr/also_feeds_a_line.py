# WRONG: carriage return is taken for a new line: inside the screen the cursor also goes down one row.
def screen_cr(rows, cols, cur_r):
    if cur_r < 1:
        cur_r = 1
    elif cur_r > rows:
        cur_r = rows
    elif cur_r < rows:
        cur_r = cur_r + 1
    cur_c = 1
    if cur_c > cols:
        cur_c = cols
    return {"cur_r": cur_r, "cur_c": cur_c}
