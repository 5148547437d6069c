# a compressed set of platform tags is split at its dots into several options
def environment_get_pip_cli_options(python_version, implementation, abis, platforms):
    options = ["--python-version", python_version, "--implementation", implementation]
    for abi in abis:
        options.extend(["--abi", abi])
    for platform in platforms:
        if isinstance(platform, str):
            for tag in platform.split("."):
                options.extend(["--platform", tag])
            continue
        options.extend(["--platform", platform])
    return options
