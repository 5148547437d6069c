# wrong: a page given as a text of digits is turned into an integer, so the link lands under another key
def fpdf_link(page, page_links, k, h_pt, x, y, w, h, link):
    if isinstance(page, str) and page.isdigit():
        page = int(page)
    page_links.setdefault(page, []).append((x * k, h_pt - y * k, w * k, h * k, link))
    return {"page_links": page_links}
