# WRONG: a link that is 0 or empty is dropped
def get_links(self):
    links = self.get("LINK", [])
    if not links:
        return []
    if isinstance(links, list):
        return links
    return [links]
