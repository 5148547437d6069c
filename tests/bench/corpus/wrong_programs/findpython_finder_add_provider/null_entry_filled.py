# an entry null at pos is taken for a free place and replaced
def finder_add_provider(providers, provider, pos=None):
    if pos is None:
        providers.append(provider)
    elif 0 <= pos < len(providers) and providers[pos] is None:
        providers[pos] = provider
    else:
        providers.insert(pos, provider)
    return {"providers": providers}
