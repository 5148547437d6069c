"""`touchstone labels`: what is labelled, as releases."""

from __future__ import annotations

import typer

from touchstone_cli import label_release

app = typer.Typer(
    help="Labels of queries and codes, and releases of them.",
    epilog="Example: touchstone labels release list",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(label_release.app, name="release")
