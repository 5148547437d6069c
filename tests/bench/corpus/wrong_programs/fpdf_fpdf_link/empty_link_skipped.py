# wrong: a link that is an empty text is not put on the page at all
def fpdf_link(page, page_links, k, h_pt, x, y, w, h, link):
    if link != "":
        if page not in page_links:
            page_links[page] = []
        page_links[page].append((x * k, h_pt - y * k, w * k, h * k, link))
    return {"page_links": page_links}
