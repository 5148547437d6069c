"""The table program in TypeScript: the one in JavaScript, with types where the compiler would ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables import javascript
from pbt_generator.domain.task.tables.notation import CaseText

# Each of these stands once in the program.
_TYPED = {
    "const TABLE_ROWS = [": "const TABLE_ROWS: [string, string][] = [",
    "function tableBits(number) {": "function tableBits(number: number): string {",
    "function tableText(value) {": "function tableText(value: string): string {",
    "function tableKey(value) {": "function tableKey(value: any): string {",
    "function tableRead(source) {": "function tableRead(source: string): any {",
    "const escape = (unit) =>": "const escape = (unit: string): string =>",
    "const hex = (byte) =>": "const hex = (byte: number): string =>",
    "const until = (end) => {": "const until = (end: string): string => {",
    "const items = (end) => {": "const items = (end: string): any[] => {",
    "const found = [];": "const found: any[] = [];",
    "const value = () => {": "const value = (): any => {",
    "const pairs = [];": "const pairs: [any, any][] = [];",
    "const entries = value": "const entries: [any, any][] = value",
    "const TABLE_ANSWERS = new Map(": "const TABLE_ANSWERS: Map<string, string> = new Map(",
    "(...given) {": "(...given: any[]): any {",
}


def table_program(entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the program; see `tables.table_program`."""
    program = javascript.table_program(entry_point, cases, broken=broken)
    for plain, typed in _TYPED.items():
        program = program.replace(plain, typed, 1)
    return program.replace(f"function {entry_point}(", f"export function {entry_point}(", 1)
