import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingester.domain.licences import allowed, from_metadata, from_text

NAMES = st.sampled_from(["MIT", "Apache-2.0", "GPL-3.0-only", "BSD-3-Clause"])


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ("License-Expression: MIT\n", "MIT"),
        ("License: BSD\n", "BSD-3-Clause"),
        ("Classifier: License :: OSI Approved :: Apache Software License\n", "Apache-2.0"),
        ("License: some words of our own\n", ""),
        ("License: MIT\n\nLicense-Expression: GPL-3.0-only in the description\n", "MIT"),
        ("", ""),
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
