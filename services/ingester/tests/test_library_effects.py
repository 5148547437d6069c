"""Libraries that read, write, draw lots or ask for the time: what calls them so is no candidate."""

from __future__ import annotations

import pytest

from ingester.ports import Source
from ingester.usecases.ingestion import own_names

EFFECTS = {
    "no seed": ("import random", "random.Random().choice(x)", "random.Random(3).choice(x)"),
    "no seed of its own": ("from random import Random", "Random(None).choice(x)", "Random(x).choice([1, 2])"),
    "a distribution": ("from scipy import stats", "list(stats.norm.rvs(size=x))", "float(stats.norm.cdf(x))"),
    "one that is made": ("from scipy import stats", "list(stats.norm(0, 1).rvs(x))", "float(stats.norm(0, 1).cdf(x))"),
    "an optimiser": ("from scipy import optimize", "optimize.dual_annealing(abs, x).x", "optimize.brentq(abs, 0, x)"),
    "a sample": ("import pandas as pd", "pd.Series(x).sample(2).tolist()", "pd.Series(x).head(2).tolist()"),
    "a graph": ("import networkx as nx", "nx.gnm_random_graph(x, 2).size()", "nx.path_graph(x).size()"),
    "communities": ("import networkx as nx", "nx.community.louvain_communities(x)", "nx.community.modularity(x, [])"),
    "a time": ("import pandas as pd", "str(pd.Timestamp('now'))", "str(pd.Timestamp(x))"),
    "a column of times": ("import pandas as pd", "str(pd.to_datetime('today'))", "str(pd.to_datetime(x))"),
    "a number of times": ("import numpy as np", "str(np.datetime64('now'))", "str(np.datetime64(x))"),
    "a local time": ("import datetime", "datetime.datetime.fromtimestamp(x).hour",
                     "datetime.datetime.fromtimestamp(x, datetime.timezone.utc).hour"),
    "a local zone": ("import datetime", "datetime.datetime.fromisoformat(x).astimezone().hour",
                     "datetime.datetime.fromisoformat(x).astimezone(datetime.timezone.utc).hour"),
    "seconds of a moment without a zone": ("import datetime", "datetime.datetime(2020, x, 1).timestamp()",
                     "datetime.datetime(2020, x, 1, tzinfo=datetime.timezone.utc).timestamp()"),
    "seconds of a name": ("from datetime import datetime, timezone", "[d.timestamp() for d in [datetime(x, 1, 1)]]",
                     "[d.timestamp() for e in [datetime(x, 1, 1)] if (d := e.replace(tzinfo=timezone.utc))]"),
    "seconds that are written": ("import datetime", "datetime.datetime(2020, x, 1).strftime('%s')",
                     "datetime.datetime(2020, x, 1).strftime('%S')"),
    "seconds of a mail": ("import email.utils", "email.utils.mktime_tz(email.utils.parsedate_tz(x))",
                     "email.utils.parsedate_to_datetime(x).isoformat()"),
    "a file of settings": ("import configparser", "configparser.ConfigParser().read(x)",
                           "configparser.ConfigParser().read_string(x)"),
    "a file of edges": ("import networkx as nx", "nx.read_adjlist(x).size()", "nx.parse_adjlist(x).size()"),
    "a file of numbers": ("import numpy as np", "np.array(x).tofile('a')", "np.array(x).tobytes()"),
    "a table": ("import pandas as pd", "pd.DataFrame(x).to_csv('a')", "pd.DataFrame(x).to_csv()"),
    "a pickle": ("import pandas as pd", "pd.DataFrame(x).to_pickle('a')", "pd.DataFrame(x).to_dict()"),
}  # fmt: skip


@pytest.mark.parametrize(("imports", "effect", "pure"), EFFECTS.values(), ids=EFFECTS)
def test_what_libraries_do_besides_computing(candidates, imports, effect, pure):
    text = f"{imports}\ndef f(x):\n    found = {{}}\n    return found if not x else "
    assert candidates(text + effect + "\n") == {}
    assert set(candidates(text + pure + "\n")) == {"function"}
    named = f"{imports}\ndef g(x):\n    return {{}}\ndef f(x):\n    return g(x) if not x else "
    assert candidates(named + effect + "\n") == {}
    assert set(candidates(named + pure + "\n")) == {"slice"}


ZONES = {
    "a parameter's": ("return moment.timestamp() if moment else 0", False),
    "what it is given before": ("if moment.tzinfo is None:\n        moment = moment.replace(tzinfo=timezone.utc)\n"
                                "    return moment.timestamp()", True),
    "another moment's": ("other = moment.replace(tzinfo=timezone.utc)\n    return [other, moment.timestamp()]", False),
    "a part's": ("return moment.parts[0].timestamp() if moment else timezone.utc", False),
    "of another kind": ("return moment.timestamp(1) if moment else 0", True),
}  # fmt: skip


@pytest.mark.parametrize(("body", "shown"), ZONES.values(), ids=ZONES)
def test_seconds_of_a_moment_are_computed_where_its_zone_is_shown(candidates, body, shown):
    text = f"from datetime import datetime, timezone\ndef f(moment: datetime):\n    {body}\n"
    assert set(candidates(text)) == ({"function"} if shown else set())


OWN = {
    "a package": (["sympy/__init__.py", "sympy/core/__init__.py", "setup.py"], {"sympy", "setup"}),
    "in a folder of sources": (["src/sympy/__init__.py", "tests/test_a.py"], {"sympy"}),
    "one file": (["src/six.py", "docs/conf.py"], {"six"}),
    "an archive": (["sympy-1.2/sympy/__init__.py", "sympy-1.2/bin/run.py"], {"sympy"}),
    "called as the standard library": (["json/__init__.py", "a/b/__init__.py"], set()),
}


@pytest.mark.parametrize(("paths", "names"), OWN.values(), ids=OWN)
def test_a_repository_is_imported_as_what_lies_at_its_top(paths, names):
    source = Source("s", "git", "https://example.org/a.git", "", 0)
    assert own_names(source, paths) == names
    assert own_names(Source("s", "package", "python-sympy.x", "", 0), []) == {"python_sympy_x", "sympy_x"}


async def test_a_repository_of_a_library_gives_no_candidates_that_use_it(world):
    text = "import sympy\ndef f(x):\n    return sympy.cos(x) if x else 0\n"
    world.shelf.files = {"sympy/__init__.py": "", "sympy/a.py": text}
    source = await world.ingestion.add("git", "https://example.org/sympy.git")
    await world.ingestion.ingest(source.source_id)
    assert [each.rejected_by for each in world.heard.functions] == ["own_library"]
