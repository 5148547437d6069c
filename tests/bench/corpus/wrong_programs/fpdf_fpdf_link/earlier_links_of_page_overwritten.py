# wrong: the list of the page is replaced by one with the new link only
def fpdf_link(page, page_links, k, h_pt, x, y, w, h, link):
    page_links[page] = [(x * k, h_pt - y * k, w * k, h * k, link)]
    return {"page_links": page_links}
