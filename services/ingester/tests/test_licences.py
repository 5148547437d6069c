# ruff: noqa: E501  programs and texts, one a line
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingester.adapters.encoding import source_ref, to_contract
from ingester.adapters.trees import FolderTree
from ingester.domain.licences import allowed, from_metadata, from_text
from ingester.ports import SourceVersion

GPL = "GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007"
DUAL = "MIT OR Apache-2.0"
MIT_CLASS = "Classifier: License :: OSI Approved :: MIT License\n"
MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
CONDITION = ", subject to the following conditions: The above copyright notice shall be included in all copies. "
MIT_WHOLE = f"MIT License. Copyright 2020 X. {MIT}, to permit persons to whom the Software is furnished to do so{CONDITION}THE SOFTWARE IS PROVIDED AS IS"
ISC_WHOLE = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice appear in all copies. THE SOFTWARE IS PROVIDED AS IS AND NPM DISCLAIMS ALL WARRANTIES"
BSD_WHOLE = "Redistribution and use in source and binary forms are permitted: 3. Neither the name of the University of X nor the names of its contributors may be used to endorse products. THIS SOFTWARE IS PROVIDED BY THE REGENTS 'AS IS'. IN NO EVENT SHALL JANE DOE BE LIABLE"
ADVERTISING = (
    "All advertising materials mentioning features must display: This product includes software developed by the X."
)
APACHE = "Apache License Version 2.0, January 2004"
BSD_CLASS = "Name: x\nClassifier: License :: OSI Approved :: BSD License\n"
NAMES = st.sampled_from(["MIT", "Apache-2.0", "GPL-3.0-only", "BSD-3-Clause"])


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("License-Expression: MIT\n", "MIT"),
        ("License: BSD\n", "BSD-3-Clause"),
        ("Classifier: License :: OSI Approved :: Apache Software License\n", "Apache-2.0"),
        ("License: some words of our own\n", ""),
        ("License: MIT\n\nLicense-Expression: GPL-3.0-only in the description\n", "MIT"),
        ("License: Proprietary\nClassifier: License :: OSI Approved :: MIT License\n", ""),
        ("License: Proprietary\nClassifier: License :: Other/Proprietary License\n", ""),
        (f"{MIT_CLASS}Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n", ""),
        (f"{MIT_CLASS}License: GPL-3.0-only\n", ""),
        (f"{MIT_CLASS}Classifier: License :: OSI Approved\nLicense: MIT License, see LICENSE\n", "MIT"),
        (f"{MIT_CLASS}Classifier: License :: OSI Approved :: Apache Software License\n", ""),
        (f"{MIT_CLASS}Classifier: License :: OSI Approved :: Apache Software License\nLicense: {DUAL}\n", DUAL),
        ("Classifier: License :: OSI Approved :: BSD License\nLicense: BSD-2-Clause\n", "BSD-2-Clause"),
        ("License-Expression: (MIT OR Apache-2.0) AND GPL-3.0-only\nLicense: MIT\n", f"({DUAL}) AND GPL-3.0-only"),
        ("License-Expression: (MIT OR Apache-2.0\nLicense: MIT\n", ""),
        ("License: MIT OR Apache-2.0\n", "MIT OR Apache-2.0"),
        (
            "License: Copyright X\n        Permission is hereby granted, free of charge, to any person obtaining a copy\n",
            "MIT",
        ),
        (f"{MIT_CLASS}License: GPLv3\n", ""),
        (f"{MIT_CLASS}License: MIT and GPLv2\n", ""),
        (f"{MIT_CLASS}License: MIT License, except for parts, see COPYING\n", ""),
        (f"{MIT_CLASS}License: GPL, see LICENSE\n", ""),
        (f"{MIT_CLASS}License: Licensed under the terms of the MIT License\n", "MIT"),
        ("Classifier: License :: OSI Approved :: BSD License\nLicense: LGPL\n", ""),
        ("Classifier: License :: OSI Approved :: BSD License\nLicense: BSD 4-Clause\n", ""),
        ("License-Expression: MIT\nLicense-Expression: GPL-3.0-only\n", ""),
        ("License: see LICENSE.txt\n", None),
        ("License: UNKNOWN\n", None),
        ("", None),
    ],
)
def test_metadata(metadata, expected):
    assert from_metadata(metadata) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Permission is hereby granted, free of charge,\n to any person obtaining a copy of this", "MIT"),
        ("Apache License\n   Version 2.0, January 2004", "Apache-2.0"),
        ("Redistribution and use in source and binary forms ... Neither the name of X", "BSD-3-Clause"),
        ("Redistribution and use in source and binary forms, with or without", "BSD-2-Clause"),
        ("All rights reserved.", ""),
        (f"Commons Clause License Condition v1.0. The License does not grant you the right to Sell. {MIT}", ""),
        (f"Copyright Acme. All rights reserved. No part of it may be copied. Notices: {MIT}", ""),
        (f"Copyright (c) 2020 Acme. All rights reserved.\n\n{MIT}", "MIT"),
        (f"{MIT} ... The Software shall be used for Good, not Evil.", ""),
        (f"{MIT} {'and so on ' * 200}", ""),
        (f"{MIT} and {MIT}", ""),
        (f"{MIT}. Redistribution and use in source and binary forms", ""),
        (f"Apache License Version 2.0, January 2004 {'and so on ' * 2000} {MIT}", "Apache-2.0"),
        (f"{'Our own words. ' * 90} Apache License Version 2.0, January 2004", ""),
        (
            "Redistribution and use in source and binary forms, for non-commercial purposes only: Neither the name of",
            "",
        ),
        (
            "This is free and unencumbered software released into the public domain. For any purpose, commercial or "
            "non-commercial, and by any means.",
            "Unlicense",
        ),
        (f"{APACHE} {'terms ' * 1500} Commons Clause License Condition v1.0", ""),
        (f"{APACHE} {'terms ' * 1500} The above is for non-commercial use only.", ""),
        ("Available under the Apache License Version 2.0 for non-commercial use; all other use is prohibited.", ""),
        ("This project is licensed under the GPL-3.0. Portions are under the Apache License Version 2.0.", ""),
        (f"This project is licensed under the GPL-3.0. Portions are under the {APACHE}", ""),
        (f"{GPL} Everyone is permitted to copy, if allowed only occasionally and noncommercially", "GPL-3.0-only"),
        (MIT_WHOLE, "MIT"),
        (f"{MIT_WHOLE} This licence is granted for academic research. Use by companies is not allowed.", ""),
        (f"For academic use only. {MIT_WHOLE}", ""),
        (MIT_WHOLE.replace(CONDITION, ". "), "MIT-0"),
        (ISC_WHOLE, "ISC"),
        (ISC_WHOLE.replace(", provided that the above copyright notice appear in all copies", ""), "0BSD"),
        (BSD_WHOLE, "BSD-3-Clause"),
        (f"{BSD_WHOLE} NO LICENSES TO ANY PARTY'S PATENT RIGHTS ARE GRANTED BY THIS LICENSE.", "BSD-3-Clause-Clear"),
        (BSD_WHOLE.replace("3. ", f"3. {ADVERTISING} 4. "), "BSD-4-Clause"),
        (f"{BSD_WHOLE} 4. The software must not be used in a nuclear facility.", ""),
    ],
)
def test_texts(text, expected):
    assert from_text(text) == expected


@given(NAMES, NAMES, st.sets(NAMES, min_size=1))
def test_expressions_follow_their_words(one, other, names):
    assert allowed(f"{one} OR {other}", names) == (one in names or other in names)
    assert allowed(f"{one} AND {other}", names) == (one in names and other in names)
    assert allowed(f"{one} WITH some-exception", names) == (one in names)


def test_an_empty_list_allows_everything():
    assert allowed("", [])
    assert not allowed("", ["MIT"])


@pytest.mark.parametrize(
    ("expression", "satisfied"),
    [
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", False),
        ("GPL-3.0-only AND (MIT OR Apache-2.0)", False),
        ("(MIT OR GPL-3.0-only) AND (MIT)", True),
        ("GPL-3.0-only or (mit and MIT WITH x)", True),
        ("MIT OR", False),
        ("(MIT", False),
        ("MIT)", False),
        ("MIT License", False),
        ("MIT OR WITH", False),
        ("MIT, Apache-2.0", False),
        ("(" * 5000 + "MIT", False),
    ],
)
def test_brackets_bind_and_what_does_not_parse_is_not_allowed(expression, satisfied):
    assert allowed(expression, ["MIT"]) == satisfied


TREES = {
    "root before folders": ({"LICENSE": "Business Source License 1.1.", "sdk/LICENSE": MIT, "core/a.py": ""}, ""),
    "root before metadata of folders": ({"LICENSE": GPL, "examples/PKG-INFO": "License: MIT\n"}, "GPL-3.0-only"),
    "a folder of several": ({"sdk/LICENSE": MIT, "core/a.py": ""}, ""),
    "the one folder of an archive": ({"p-1/LICENSE": MIT, "p-1/p/a.py": "", "p-1/vendor/LICENSE": GPL}, "MIT"),
    "metadata that is not understood": ({"p-1/PKG-INFO": "License: Proprietary\n", "p-1/LICENSE": MIT}, ""),
    "metadata that names a file": ({"p-1/PKG-INFO": "License: see LICENSE\n", "p-1/LICENSE": MIT}, "MIT"),
    "a wheel": ({"p/a.py": "", "p/LICENSE": GPL, "p-1.dist-info/METADATA": "License: MIT\n"}, "MIT"),
    "two plain ones": ({"LICENSE": MIT, "COPYING": GPL}, ""),
    "two that are chosen from": ({"LICENSE-MIT": MIT, "LICENSE-APACHE": "Apache License Version 2.0"}, ""),
    "notices beside": ({"LICENSE.txt": MIT, "LICENSE_bundled": GPL, "licenses.py": "x = 1"}, "MIT"),
    "lesser": ({"COPYING": GPL, "COPYING.LESSER": f"GNU LESSER {GPL[4:]}"}, "LGPL-3.0-only"),
    "metadata that a text contradicts": ({"PKG-INFO": "License: MIT\n", "LICENSE": GPL}, ""),
    "metadata less exact than a text": ({"PKG-INFO": BSD_CLASS, "LICENSE": BSD_WHOLE.split("3.")[0]}, "BSD-2-Clause"),
    "a text of four clauses": ({"PKG-INFO": BSD_CLASS, "LICENSE": f"{BSD_WHOLE} {ADVERTISING}"}, "BSD-4-Clause"),
    "metadata more exact than a text": (
        {"PKG-INFO": "License: GPL-3.0-or-later\n", "LICENSE": GPL},
        "GPL-3.0-or-later",
    ),
    "a text of those chosen from": ({"PKG-INFO": f"License-Expression: {DUAL}\n", "LICENSE": MIT}, DUAL),
    "nothing": ({"a.py": ""}, ""),
}


@pytest.mark.parametrize(("files", "licence"), TREES.values(), ids=TREES)
def test_the_root_alone_says_which_licence(tmp_path, files, licence):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert FolderTree(tmp_path).licence == licence


async def test_a_file_that_names_a_licence_is_under_it(world):
    world.policy = replace(world.policy, licences=("MIT", "BSD-3-Clause"))
    sign = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
    use = "def twice(x):\n    return helper(helper(x)) if x > 3 else 0\n"
    world.shelf.files = {
        "pkg/__init__.py": "",
        "pkg/gpl.py": f"# spdx-license-identifier : GPL-3.0-only\n{sign}",
        "pkg/bsd.py": f"# SPDX-License-Identifier: BSD-3-Clause\n{sign.replace('sign', 'other').replace('-1', '-2')}",
        "pkg/helpers.py": f"# SPDX-License-Identifier: ({DUAL}) AND GPL-3.0-only\ndef helper(x):\n    return x + 1 if x else 2\n",
        "pkg/use.py": f"from pkg.helpers import helper\n{use}",
    }
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    told = {(each.path, each.found.form): each for each in world.heard.functions}
    assert told["pkg/gpl.py", "function"].rejected_by == "licence"
    assert told["pkg/use.py", "slice"].rejected_by == "licence"
    assert told["pkg/bsd.py", "function"].task_candidate
    version = SourceVersion("1.0", None, "shelf")
    written = [to_contract(each, source_ref(source, version, "MIT")) for each in told.values()]
    stated = {each.path: each.source.licence for each in written}
    assert (stated["pkg/bsd.py"], stated["pkg/use.py"]) == ("BSD-3-Clause", "MIT")
