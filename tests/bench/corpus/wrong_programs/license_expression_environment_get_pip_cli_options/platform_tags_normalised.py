# hyphens and dots of a platform are turned into underscores, as wheel tags have them; it must go out as given
def environment_get_pip_cli_options(python_version, implementation, abis, platforms):
    options = ["--python-version", python_version, "--implementation", implementation]
    for abi in abis:
        options.extend(["--abi", abi])
    for platform in platforms:
        if isinstance(platform, str):
            platform = platform.replace("-", "_").replace(".", "_")
        options.extend(["--platform", platform])
    return options
