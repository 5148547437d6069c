"""The table program in Java; rows lie in several methods, for one method and one constant have a largest size."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables.notation import CaseText, arities, rows

_ROWS_EACH = 100
_CONSTANT = 16_000

_PROGRAM = """\
import java.math.BigInteger;
import java.util.*;

public class Table {
    private static final Map<String, String> TABLE = new HashMap<>();

    static {
{fills}
    }

{methods}
    private static void tableRow(String key, String answer) {
        TABLE.put(key, answer);
    }

    private static String tableJoin(String... parts) {
        return String.join("", parts);
    }

    private static void tableText(String value, StringBuilder out) {
        out.append('s');
        for (char unit : value.toCharArray()) {
            boolean word = unit < 128 && Character.isLetterOrDigit(unit);
            if (word || " _-+*/=.,:!?()[]{}<>@#&|^~".indexOf(unit) >= 0) out.append(unit);
            else out.append(String.format("%%%04x", (int) unit));
        }
        out.append(';');
    }

    private static String tableKey(Object value) {
        StringBuilder out = new StringBuilder();
        tableKey(value, out);
        return out.toString();
    }

    private static void tableKey(Object value, StringBuilder out) {
        if (value == null) out.append('n');
        else if (value instanceof Boolean) out.append((Boolean) value ? 't' : 'f');
        else if (value instanceof Double) tableReal((Double) value, out);
        else if (value instanceof Number) out.append('i').append(value).append(';');
        else if (value instanceof String) tableText((String) value, out);
        else if (value instanceof byte[]) {
            out.append('b').append(HexFormat.of().formatHex((byte[]) value)).append(';');
        } else if (value instanceof List) {
            out.append('[');
            for (Object item : (List<?>) value) tableKey(item, out);
            out.append(']');
        } else if (value instanceof Set) {
            List<String> items = new ArrayList<>();
            for (Object item : (Set<?>) value) items.add(tableKey(item));
            Collections.sort(items);
            out.append('{').append(String.join("", items)).append('}');
        } else if (value instanceof Map) {
            List<String> items = new ArrayList<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                items.add(tableKey(entry.getKey()) + tableKey(entry.getValue()));
            }
            Collections.sort(items);
            out.append('<').append(String.join("", items)).append('>');
        } else throw new IllegalArgumentException(value.getClass().getName());
    }

    private static void tableReal(double value, StringBuilder out) {
        boolean whole = value == Math.rint(value) && Math.abs(value) <= 9007199254740992.0;
        if (whole) out.append('i').append((long) value).append(';');
        else out.append('d').append(HexFormat.of().toHexDigits(Double.doubleToLongBits(value)));
    }

    private static final class Reader {
        private final String source;
        private int at = 0;

        Reader(String source) {
            this.source = source;
        }

        private String until(char end) {
            int from = at;
            at = source.indexOf(end, from) + 1;
            return source.substring(from, at - 1);
        }

        private List<Object> items(char end) {
            List<Object> found = new ArrayList<>();
            while (source.charAt(at) != end) found.add(value());
            at++;
            return found;
        }

        Object value() {
            switch (source.charAt(at++)) {
                case 'n': return null;
                case 't': return true;
                case 'f': return false;
                case 'i':
                    BigInteger number = new BigInteger(until(';'));
                    if (number.bitLength() < 32) return number.intValue();
                    return number.bitLength() < 64 ? (Object) number.longValue() : number;
                case 'd':
                    at += 16;
                    return Double.longBitsToDouble(HexFormat.fromHexDigitsToLong(source, at - 16, at));
                case 's':
                    String escaped = until(';');
                    StringBuilder text = new StringBuilder();
                    for (int i = 0; i < escaped.length(); i++) {
                        if (escaped.charAt(i) != '%') text.append(escaped.charAt(i));
                        else {
                            text.append((char) HexFormat.fromHexDigits(escaped, i + 1, i + 5));
                            i += 4;
                        }
                    }
                    return text.toString();
                case 'b': return HexFormat.of().parseHex(until(';'));
                case '[': return items(']');
                case '{': return new LinkedHashSet<>(items('}'));
                default:
                    List<Object> flat = items('>');
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (int i = 0; i < flat.size(); i += 2) map.put(flat.get(i), flat.get(i + 1));
                    return map;
            }
        }
    }

    private static Object tableAnswer(Object... given) {
        String answer = TABLE.get(tableKey(Arrays.asList(given)));
        if (answer == null) throw new NoSuchElementException("no such case");
        return new Reader(answer).value();
    }

{entries}
}
"""


def table_program(entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the program; see `tables.table_program`."""
    table = rows(cases, broken=broken)
    groups = [table[at : at + _ROWS_EACH] for at in range(0, len(table), _ROWS_EACH)]
    fills = "\n".join(f"        tableFill{number}();" for number in range(len(groups)))
    methods = "".join(_fill(number, group) for number, group in enumerate(groups))
    # One method for each number of arguments: a variadic one could take a single list for all of its arguments.
    entries = "\n\n".join(_entry(entry_point, count) for count in arities(cases) or [0])
    program = _PROGRAM
    for place, content in (("{fills}", fills), ("{entries}", entries), ("{methods}", methods)):
        program = program.replace(place, content, 1)
    return program


def _fill(number: int, group: list[tuple[str, str]]) -> str:
    lines = "\n".join(f"        tableRow({_constant(key)}, {_constant(text)});" for key, text in group)
    return f"    private static void tableFill{number}() {{\n{lines}\n    }}\n\n"


def _constant(text: str) -> str:
    if len(text) <= _CONSTANT:
        return f'"{text}"'
    parts = [text[at : at + _CONSTANT] for at in range(0, len(text), _CONSTANT)]
    return "tableJoin(" + ", ".join(f'"{part}"' for part in parts) + ")"


def _entry(name: str, count: int) -> str:
    names = [f"a{number}" for number in range(count)]
    given = f"new Object[] {{{', '.join(names)}}}"
    parameters = ", ".join(f"Object {one}" for one in names)
    return f"    public static Object {name}({parameters}) {{\n        return tableAnswer({given});\n    }}"
