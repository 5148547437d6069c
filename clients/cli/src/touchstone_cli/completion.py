"""`touchstone completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

from typing import Annotated

import typer

from touchstone_cli.choices import one_of

SHELLS = ("bash", "zsh", "fish")
_SCRIPTS = {
    "bash": """_touchstone_completion() {
    local IFS=$'\\n'
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _TOUCHSTONE_COMPLETE=1 touchstone))
}
complete -o default -F _touchstone_completion touchstone
""",
    "zsh": """autoload -U +X bashcompinit && bashcompinit
_touchstone_completion() {
    local IFS=$'\\n'
    COMPREPLY=($(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _TOUCHSTONE_COMPLETE=1 touchstone))
}
complete -o default -F _touchstone_completion touchstone
""",
    "fish": """complete -c touchstone -f -a "(env COMP_WORDS=(commandline -cp | string collect) \
COMP_CWORD=(count (commandline -opc)) _TOUCHSTONE_COMPLETE=1 touchstone)"
""",
}


def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the lines that make a shell complete commands and options.

    Example: touchstone completion bash >> ~/.bashrc
    """
    print(_SCRIPTS[one_of(shell, SHELLS, "shell", empty=False)], end="")


def words_for(words: list[str], position: int) -> list[str]:
    """What can stand at a position of a command line.

    Args:
        words: The words so far, `touchstone` first.
        position: Which of them is to be completed.
    """
    from touchstone_cli.main import ENTRIES, load

    begun = words[position] if position < len(words) else ""
    before = [word for word in words[1:position] if not word.startswith("-")]
    if not before:
        found = [*ENTRIES, "--help", "--quiet", "--version"]
    elif before[0] not in ENTRIES:
        return []
    else:
        command = load(before[0])
        for word in before[1:]:
            command = getattr(command, "commands", {}).get(word, command)
        inner = getattr(command, "commands", {})
        found = list(inner) if inner and not begun.startswith("-") else []
        found += [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        found.append("--help")
    return [word for word in found if word.startswith(begun)]
