"""Where datasets lie as jobs see them, for those that make them and for those that show them."""

from __future__ import annotations

from pathlib import Path


def views_in(state_dir: Path) -> Path:
    """The folder of views beneath the executor's state."""
    return state_dir.absolute() / "datasets" / "views"
