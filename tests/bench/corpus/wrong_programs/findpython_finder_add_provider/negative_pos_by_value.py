# for a negative pos the entry is found again by its value, so with repeated ones the first counts
def finder_add_provider(providers, provider, pos=None):
    if pos is None:
        pos = len(providers)
    elif pos < 0:
        if -pos > len(providers):
            pos = 0
        else:
            pos = providers.index(providers[pos])
    providers.insert(pos, provider)
    return {"providers": providers}
