"""Draw `docs/flow.svg` from the topic cards: services as boxes, topics as arrows; run by `make gen`."""

from __future__ import annotations

import html
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# Only the places are chosen by hand; every box and arrow comes from the cards.
PLACES = {
    "ingester": (0, 1),
    "embedder": (1, 0),
    "pbt-generator": (1, 2),
    "retriever": (2, 0),
    "evaluator": (2, 2),
    "annotator": (3, 0),
    "sandbox-executor": (3, 2),
}
WIDTH, HEIGHT, GAP_X, GAP_Y = 150, 54, 150, 62
STYLE = """
  .box { fill: #f4f7fb; stroke: #2b5c8a; stroke-width: 1.5; }
  .arrow { fill: none; stroke: #5b7083; stroke-width: 1.5; marker-end: url(#head); }
  text { font: 13px system-ui, sans-serif; fill: #17324d; text-anchor: middle; }
  .topic { font-size: 11px; fill: #3f5468; }
  .topic { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
  .own { font-size: 10px; fill: #6b7f92; }
  .back { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #10161d; } .box { fill: #1b2733; stroke: #7fb2e0; }
    .arrow { stroke: #9fb4c7; } text { fill: #e3edf7; } .topic { fill: #c3d2e0; stroke: #10161d; }
    .own { fill: #93a7ba; }
  }
"""


def cards() -> list[dict[str, list[str] | str]]:
    """All topic cards, by topic name."""
    folder = ROOT / "shared" / "contracts" / "topics"
    return [yaml.safe_load(path.read_text()) for path in sorted(folder.glob("*.yaml"))]


def corner(service: str) -> tuple[int, int]:
    """Upper left corner of a service's box, in pixels."""
    column, row = PLACES[service]
    return 20 + column * (WIDTH + GAP_X), 30 + row * (HEIGHT + GAP_Y)


def arrow(start: str, end: str, labels: list[str], shift: int) -> list[str]:
    """An arrow between two boxes with one label a topic; `shift` keeps opposite arrows apart."""
    (x1, y1), (x2, y2) = corner(start), corner(end)
    leaves, enters = (x1 + WIDTH, x2) if x2 > x1 else (x1, x2 + WIDTH)
    first, last = y1 + HEIGHT // 2 + shift, y2 + HEIGHT // 2 + shift
    middle = (leaves + enters) // 2
    drawn = [f'<path class="arrow" d="M{leaves},{first} C{middle},{first} {middle},{last} {enters},{last}"/>']
    for number, label in enumerate(labels):
        # Upward and downward labels sit beside the curve's middle, level ones above the line.
        y = (first + last) // 2 - 6 - 13 * number if shift <= 0 else (first + last) // 2 + 16 + 13 * number
        drawn.append(f'<text class="topic" x="{middle}" y="{y}">{html.escape(label)}</text>')
    return drawn


def draw() -> str:
    """The whole picture as SVG text."""
    arrows: dict[tuple[str, str], list[str]] = {}
    own: dict[str, list[str]] = {service: [] for service in PLACES}
    for card in cards():
        label = str(card["topic"]).removeprefix("touchstone.").removesuffix(".v1")
        for producer in card["producers"]:
            for consumer in card["consumers"]:
                if producer == consumer:
                    own[producer].append(f"↻ {label}")
                else:
                    arrows.setdefault((producer, consumer), []).append(label)
            if not card["consumers"]:
                own[producer].append(f"→ {label}")
    width = 40 + 4 * WIDTH + 3 * GAP_X
    height = 60 + 3 * HEIGHT + 2 * GAP_Y + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="The seven services and the Kafka topics between them">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="#5b7083"/></marker></defs>',
        f'<rect class="back" width="{width}" height="{height}"/>',
    ]
    for (start, end), labels in sorted(arrows.items()):
        shift = 0 if (end, start) not in arrows else (-11 if PLACES[start] < PLACES[end] else 11)
        parts += arrow(start, end, labels, shift)
    for service in PLACES:
        x, y = corner(service)
        parts.append(f'<rect class="box" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>')
        parts.append(f'<text x="{x + WIDTH // 2}" y="{y + HEIGHT // 2 + 5}">{service}</text>')
        for number, label in enumerate(sorted(own[service])):
            parts.append(f'<text class="own" x="{x + WIDTH // 2}" y="{y + HEIGHT + 14 + 12 * number}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (ROOT / "docs" / "flow.svg").write_text(draw())
