"""What wrong programs of Java, Go, PHP, JavaScript and TypeScript do: statements for the start of a function's body.

What comes after them stays, so that imports stay in use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.domain.declarations import blanked
from annotator.domain.subject import Subject

# The exception of the stub that only raises; no test can expect it.
CALLED = "StubWasCalled"
# What a stub says that has nothing to give of the kind of the code's result.
SAME = "StubGaveTheSame"


@dataclass(frozen=True, slots=True)
class Statement:
    """The body of a stub.

    Attributes:
        kind: What the stub does, in words for the record.
        of_kind: Whether it gives what is of the kind of the code's own result, where it compiles and does not say
            `SAME`.
        beside: Declarations that it needs.
    """

    kind: str
    text: str
    of_kind: bool = False
    beside: str = ""


def statements(subject: Subject) -> tuple[Statement, ...]:
    """The bodies of every stub for a code, in any language but Python; the first one only raises."""
    return _STATEMENTS[subject.language](subject)


_NUMBERS = frozenset({"int", "long", "short", "byte", "char", "float", "double"})

# By the class of the result something that is one of it: from what libraries have, of an array, an enum, an interface,
# or by any constructor, with nothing for whatever it takes. Its own class has no name: a code that declares one needs
# none around it.
_JAVA_OTHER = """ if (true) return (RESULT) (Object) new Object() {
    Object of(Class<?> kind, boolean filled) {
        if (kind.isArray()) return java.lang.reflect.Array.newInstance(kind.getComponentType(), filled ? 1 : 0);
        java.util.List<Object> one = new java.util.ArrayList<Object>();
        java.util.Map<Object, Object> pairs = new java.util.HashMap<Object, Object>();
        if (filled) { one.add(null); pairs.put(null, null); }
        int n = filled ? 1 : 0;
        String text = filled ? "1" : "";
        Object[] known = { one, new java.util.HashSet<Object>(one), pairs, text, n, (long) n, (short) n, (byte) n,
            filled ? '1' : '0', (double) n, (float) n, filled, java.math.BigInteger.valueOf(n),
            java.math.BigDecimal.valueOf(n), new StringBuilder(text), new StringBuffer(text), one.iterator(),
            java.util.Optional.empty(), java.util.OptionalInt.empty(), java.util.OptionalLong.empty(),
            java.util.OptionalDouble.empty(), one.stream(), java.util.stream.IntStream.range(0, n),
            java.util.stream.LongStream.range(0, n), java.util.stream.DoubleStream.empty(),
            java.time.LocalDate.ofEpochDay(n), java.time.Instant.ofEpochSecond(n), java.time.Duration.ofSeconds(n),
            java.time.LocalDate.ofEpochDay(n).atStartOfDay(), new java.util.Date(n), new java.util.UUID(n, n),
            new java.io.File(text), java.nio.file.Paths.get(text), java.util.regex.Pattern.compile(text) };
        for (Object each : known) if (kind.isInstance(each)) return each;
        if (kind.isEnum()) return kind.getEnumConstants()[filled ? kind.getEnumConstants().length - 1 : 0];
        if (kind.isInterface()) return java.lang.reflect.Proxy.newProxyInstance(
            kind.getClassLoader(), new Class<?>[] { kind }, (self, method, given) -> none(method.getReturnType()));
        for (java.lang.reflect.Constructor<?> each : kind.getDeclaredConstructors()) {
            Object[] given = new Object[each.getParameterCount()];
            for (int at = 0; at < given.length; at++) given[at] = none(each.getParameterTypes()[at]);
            try {
                each.setAccessible(true);
                return each.newInstance(given);
            } catch (ReflectiveOperationException | RuntimeException gone) {
                continue;
            }
        }
        throw new RuntimeException("StubGaveTheSame");
    }
    Object none(Class<?> kind) {
        if (kind == void.class || !kind.isPrimitive()) return null;
        return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(kind, 1), 0);
    }
}.of(CLASS.class, FILLED); """

# The same by reflection; an error beside other results stays none, as with one nobody looks at the others.
_GO_OTHER = """
func stubOther(results ...interface{}) {
	for _, each := range results {
		v := reflect.ValueOf(each).Elem()
		if len(results) > 1 && v.Type() == reflect.TypeOf((*error)(nil)).Elem() {
			continue
		}
		stubFill(v, 0)
	}
}

func stubFill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
	case reflect.Ptr:
		v.Set(reflect.New(v.Type().Elem()))
		if depth < 2 {
			stubFill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for at := 0; at < v.NumField(); at++ {
			if v.Field(at).CanSet() && depth < 2 && v.Field(at).Kind() != reflect.Interface {
				stubFill(v.Field(at), depth+1)
			}
		}
	case reflect.String:
		v.SetString("1")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(1)
	case reflect.Array:
		for at := 0; at < v.Len() && depth < 2; at++ {
			stubFill(v.Index(at), depth+1)
		}
	case reflect.Func:
		kind := v.Type()
		v.Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value {
			var given []reflect.Value
			for at := 0; at < kind.NumOut(); at++ {
				given = append(given, reflect.Zero(kind.Out(at)))
			}
			return given
		}))
	case reflect.Interface:
		for _, each := range []interface{}{"1", errors.New("1"), bytes.NewBufferString("1")} {
			if reflect.TypeOf(each).AssignableTo(v.Type()) {
				v.Set(reflect.ValueOf(each))
				return
			}
		}
		panic("StubGaveTheSame")
	default:
		panic("StubGaveTheSame")
	}
}
"""


def _java(subject: Subject) -> tuple[Statement, ...]:
    # The compiler knows unreachable statements, except behind an `if`.
    raises = Statement("only raises", f' if (true) throw new RuntimeException("{CALLED}"); ')
    returns = subject.returns
    if returns == "void":
        return raises, Statement("does nothing", " if (true) return; ", of_kind=True)
    known = {"boolean": ("false", "true"), "String": ('""', '"1"')}.get(returns, ())
    known = ("0", "1") if returns in _NUMBERS else known
    found = [Statement(f"always returns {text}", f" if (true) return {text}; ", of_kind=True) for text in known]
    if not known:
        found.append(Statement("always returns null", " if (true) return null; "))
        plain = re.sub(r"<.*>", "", returns)
        for words, filled in (("an empty one", "false"), ("another one", "true")):
            text = _JAVA_OTHER.replace("RESULT", returns).replace("CLASS", plain).replace("FILLED", filled)
            found.append(Statement(f"always returns {words}", text, of_kind=True))
    return raises, *found, *_identity(subject, " if (true) return {}; ")


def _go(subject: Subject) -> tuple[Statement, ...]:
    raises = Statement("only raises", f' if true {{ panic("{CALLED}") }}\n')
    if not subject.returns:
        return raises, Statement("does nothing", " if true { return }\n", of_kind=True)
    names, types = _go_results(subject.returns)
    declared = "" if names else "".join(f"var stub{place} {kind}; " for place, kind in enumerate(types))
    names = names or tuple(f"stub{place}" for place in range(len(types)))
    given = f"return {', '.join(names)}"
    filled = f"stubOther({', '.join(f'&{name}' for name in names)})"
    zero = Statement("always returns its zero", f" if true {{ {declared}{given} }}\n")
    other = Statement(
        "always returns another one", f" if true {{ {declared}{filled}; {given} }}\n", of_kind=True, beside=_GO_OTHER
    )
    return raises, zero, other, *_identity(subject, " if true {{ return {} }}\n")


def _go_results(returns: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and types of what a function gives back; no names where it gives none.

    Example:
        >>> _go_results("(map[string]int, error)"), _go_results("(a, b int, err error)")[0]
        (((), ('map[string]int', 'error')), ('a', 'b', 'err'))
    """
    if not returns.startswith("("):
        return (), (returns,)
    parts = [part.strip() for part in _parted(returns[1:-1])]
    named = [re.match(r"(?!(?:chan|func|map|struct|interface)\b)(\w+)\s+\S", part) for part in parts]
    if any(named):
        return tuple(part.split()[0] for part in parts), ()
    return (), tuple(parts)


def _parted(text: str) -> list[str]:
    """Parts between commas that stand in no bracket."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(sign, 0)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _javascript(subject: Subject) -> tuple[Statement, ...]:
    plain = ("null", "true", "false", "0", "1", '""', '"1"', "[]", "[1]", "({})", "({a: 1})")
    kinds = ("new Map()", 'new Map([["a", 1]])', "new Set()", "new Set([1])", "(() => 1)", "new Date(0)", "/1/")
    own = tuple(f"Object.create({name}.prototype)" for name in _classes(subject))
    raises = Statement("only raises", f' throw new Error("{CALLED}"); ')
    found = [Statement(f"always returns {text}", f" return {text}; ", of_kind=True) for text in (*plain, *kinds, *own)]
    return raises, *found, *_identity(subject, " return {}; ")


def _php(subject: Subject) -> tuple[Statement, ...]:
    plain = ("null", "true", "false", "0", "1", '""', '"1"', "[]", "[1]", '["a" => 1]')
    kinds = ("new \\stdClass()", '(object) ["a" => 1]', "function () { return 1; }")
    own = tuple(
        f"(new \\ReflectionClass({name}::class))->newInstanceWithoutConstructor()" for name in _classes(subject)
    )
    raises = Statement("only raises", f' throw new \\RuntimeException("{CALLED}"); ')
    found = [Statement(f"always returns {text}", f" return {text}; ", of_kind=True) for text in (*plain, *kinds, *own)]
    return raises, *found, *_identity(subject, " return {}; ")


def _classes(subject: Subject) -> tuple[str, ...]:
    """Classes of the code, of which an object without content can be made."""
    return tuple(dict.fromkeys(re.findall(r"\bclass\s+([\w$]+)", blanked(subject.code, subject.language))))


def _identity(subject: Subject, form: str) -> tuple[Statement, ...]:
    return (Statement("returns its argument", form.format(subject.parameters[0])),) if subject.parameters else ()


_STATEMENTS = {
    "java": _java,
    "go": _go,
    "javascript": _javascript,
    "typescript": _javascript,
    "php": _php,
}
