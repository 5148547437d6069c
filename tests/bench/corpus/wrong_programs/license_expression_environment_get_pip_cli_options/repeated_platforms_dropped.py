# a platform that was given before is left out
def environment_get_pip_cli_options(python_version, implementation, abis, platforms):
    options = ["--python-version", python_version, "--implementation", implementation]
    for abi in abis:
        options.extend(["--abi", abi])
    seen = []
    for platform in platforms:
        if platform in seen:
            continue
        seen.append(platform)
        options.extend(["--platform", platform])
    return options
