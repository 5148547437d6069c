"""Record what the dashboards' queries ask for from a platform that runs, while it works.

    python tests/cluster/record.py STATE_FOLDER SAMPLES > tests/cluster/recorded.yaml

Every 15 seconds each process's /metrics is read; series that no dashboard names, and label sets of histograms in
which nothing was observed, are left out. A counter that comes to be between two samples of its process is 0 in the
first, for nothing was counted; Prometheus itself shows the first step of a new label late.
`tests/repo/test_dashboards.py` runs every query on the recording.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

import httpx
import yaml
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).resolve().parents[2]
EVERY_S = 15.0
PATIENCE_S = 60.0


def asked_for() -> set[str]:
    """Names of the metrics in the dashboards' queries."""
    text = "".join(path.read_text() for path in (ROOT / "helm/touchstone/files/dashboards").glob("*.json"))
    return set(re.findall(r"\b(?:touchstone|process)_[a-z_]+\b", text))


def sample(state: Path, names: set[str]) -> dict[str, float]:
    """The wanted series of all processes now, as PromQL writes them."""
    platform = json.loads((state / "platform.json").read_text())
    headers = {"Authorization": f"Bearer {(state / 'token').read_text().strip()}"}
    found: dict[str, float] = {}
    for service, addresses in sorted(platform["services"].items()):
        try:
            text = httpx.get(f"http://{addresses['http']}/metrics", headers=headers, timeout=PATIENCE_S).text
        except httpx.TransportError:
            # It starts, or has ended: a gap, as Prometheus has one.
            continue
        for family in text_string_to_metric_families(text):
            for each in family.samples:
                if each.name in names:
                    labels = ",".join(f'{key}="{value}"' for key, value in sorted(each.labels.items()))
                    found[f'{each.name}{{job="{service}",{labels}}}'.replace(",}", "}")] = each.value
    return found


def from_nothing(series: dict[str, list[float | None]]) -> None:
    """Let counters begin at 0, in the sample of their process before they came to be."""
    for key, past in series.items():
        begun = next((place for place, value in enumerate(past) if value is not None), 0)
        if begun == 0 or not re.search(r"_(total|bucket|count|sum)\{", key):
            continue
        job = re.search(r'job="[^"]+"', key)[0]
        if any(job in other and values[begun - 1] is not None for other, values in series.items()):
            past[begun - 1] = 0.0


def main() -> None:
    """Read, thin out, print."""
    state, count = Path(sys.argv[1]), int(sys.argv[2])
    names, series = asked_for(), defaultdict[str, list[float | None]](list)
    for number in range(count):
        until = time.monotonic() + EVERY_S
        for key, value in sample(state, names).items():
            past = series[key]
            past += [None] * (number - len(past)) + [value]
        for past in series.values():
            past += [None] * (number + 1 - len(past))
        sys.stderr.write(f"{number + 1} of {count}: {len(series)} series\n")
        time.sleep(max(0.0, until - time.monotonic()))
    from_nothing(series)
    observed = {
        re.sub(r'(,?)le="[^"]+"', "", key)
        for key, past in series.items()
        if 'le="+Inf"' in key and any(value for value in past)
    }
    kept = [
        {"series": key, "values": " ".join("_" if value is None else f"{value:.6g}" for value in past)}
        for key, past in sorted(series.items())
        if 'le="' not in key or re.sub(r'(,?)le="[^"]+"', "", key) in observed
    ]
    yaml.safe_dump({"interval": f"{EVERY_S:.0f}s", "input_series": kept}, sys.stdout, width=10_000, sort_keys=False)


if __name__ == "__main__":
    main()
