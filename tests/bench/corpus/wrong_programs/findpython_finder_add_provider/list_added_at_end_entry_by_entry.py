# without pos, a list as provider is added entry by entry
def finder_add_provider(providers, provider, pos=None):
    if pos is None:
        providers += provider if isinstance(provider, list) else [provider]
    else:
        providers.insert(pos, provider)
    return {"providers": providers}
