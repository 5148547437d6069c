"""What the language's own libraries ask of an object that a program hands to them."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.proofs.unused import unused

TARGET = """
IMPORT
class Target:
    def __init__(self):
        self.seen = []
    def comment(self, words):
        self.seen.append(words)
    def filter(self, record):
        self.seen.append(record)
        return False
    def __len__(self):
        return 3
def f(s):
    target = Target()
    USE
    return target.seen
"""


def left(imports: str, use: str) -> set[str]:
    module = ast.parse(TARGET.replace("IMPORT", imports).replace("USE", use))
    reasons = unused(module, "f").reasons
    return {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and id(node) in reasons}


@pytest.mark.parametrize(
    ("imports", "use"),
    [
        ("import xml.etree.ElementTree as ET", "ET.XMLParser(target=target).feed(s)"),
        ("from xml.etree.ElementTree import XMLParser", "XMLParser(target=target).feed(s)"),
        ("import xml.sax", "xml.sax.parseString(s, target)"),
        ("import configparser", "configparser.ConfigParser(interpolation=target)"),
        ("import sys", "sys.meta_path.append(target)"),
        ("import urllib.request", "urllib.request.build_opener(target)"),
        ("import urllib.parse\nimport urllib.request", "urllib.request.build_opener(target)"),
        ("import logging.config", "logging.config.dictConfig({'target': target})"),
        ("import asyncio", "asyncio.run(target)"),
    ],
)
def test_a_library_that_calls_back_may_call_any_method(imports: str, use: str) -> None:
    assert left(imports, use) == set()


@pytest.mark.parametrize("use", ["log.addFilter(target)", "logging.LoggerAdapter(log, {}).logger.addFilter(target)"])
def test_a_logger_asks_for_what_filters_and_handlers_have(use: str) -> None:
    assert left("import logging\nlog = logging.Logger('x')", use) == {"comment"}


@pytest.mark.parametrize(
    ("imports", "use"),
    [
        ("import json", "json.dumps(s)"),
        ("import urllib.parse", "urllib.parse.quote(s)"),
        ("from urllib import parse", "parse.quote(s)"),
        ("import sys", "sys.stdout = target"),
        ("from sys import maxsize", "s[:maxsize]"),
        ("import os.path", "os.path.join(s, s)"),
        ("import hashlib", "hashlib.sha1(s)"),
    ],
)
def test_one_that_takes_data_asks_for_no_name_of_its_own(imports: str, use: str) -> None:
    assert left(imports, use) == {"comment", "filter"}
