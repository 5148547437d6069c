# the long name of an implementation is replaced by its two-letter tag
def environment_get_pip_cli_options(python_version, implementation, abis, platforms):
    tags = {"cpython": "cp", "pypy": "pp", "ironpython": "ip", "jython": "jy"}
    if isinstance(implementation, str):
        implementation = tags.get(implementation, implementation)
    options = ["--python-version", python_version, "--implementation", implementation]
    for abi in abis:
        options.extend(["--abi", abi])
    for platform in platforms:
        options.extend(["--platform", platform])
    return options
