# without pos, a provider that is in the list already is not added again
def finder_add_provider(providers, provider, pos=None):
    if pos is not None:
        providers.insert(pos, provider)
    elif provider not in providers:
        providers.append(provider)
    return {"providers": providers}
