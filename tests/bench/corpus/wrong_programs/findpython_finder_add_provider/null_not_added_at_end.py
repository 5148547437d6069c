# without pos, a provider null is not added
def finder_add_provider(providers, provider, pos=None):
    if pos is not None:
        providers.insert(pos, provider)
    elif provider is not None:
        providers.append(provider)
    return {"providers": providers}
