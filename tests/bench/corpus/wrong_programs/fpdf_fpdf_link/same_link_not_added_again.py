# wrong: a link whose place and target are already in the page's list is not added a second time
def fpdf_link(page, page_links, k, h_pt, x, y, w, h, link):
    entry = (x * k, h_pt - y * k, w * k, h * k, link)
    links = page_links.setdefault(page, [])
    if all(list(entry) != (list(old) if isinstance(old, (list, tuple)) else old) for old in links):
        links.append(entry)
    return {"page_links": page_links}
