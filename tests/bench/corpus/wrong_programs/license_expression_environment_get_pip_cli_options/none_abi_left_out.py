# the ABI tag "none" is taken for no ABI and gets no option
def environment_get_pip_cli_options(python_version, implementation, abis, platforms):
    options = ["--python-version", python_version, "--implementation", implementation]
    for abi in abis:
        if abi != "none":
            options.extend(["--abi", abi])
    for platform in platforms:
        options.extend(["--platform", platform])
    return options
