<?php
// Portable values (docs/values.md) in PHP.
//
// decode() gives the most natural PHP value: lists and maps with text or integer keys are arrays. What an array
// or a string cannot tell apart (a set, bytes, a map with other keys) is an instance of Portable, so that it is
// written back as what it was. PHP strings hold bytes: a lone surrogate is the three bytes that UTF-8 would give it.

namespace Touchstone;

const MAX_DEPTH = 200;
const MAX_NODES = 4000000;
const MAX_PLAIN_INT = 9007199254740992;

final class MalformedValueError extends \Exception
{
}

final class UnportableError extends \Exception
{
    public function __construct(string $path, string $what)
    {
        // The middle of a long path would push out of sight what stands behind it.
        $path = strlen($path) > 120 ? substr($path, 0, 60) . '…' . substr($path, -40) : $path;
        parent::__construct("$path: $what has no portable form");
    }
}

/** A value of a kind that PHP does not have. Reads like a list of its items, or like its bytes. */
final class Portable implements \Countable, \IteratorAggregate, \Stringable
{
    /** @param mixed $content items, pairs of key and value, bytes, digits or fields */
    public function __construct(public readonly string $kind, public readonly mixed $content, public readonly mixed $more = null)
    {
    }

    public function count(): int
    {
        return is_array($this->content) ? count($this->content) : strlen((string) $this->content);
    }

    public function getIterator(): \Iterator
    {
        return new \ArrayIterator(is_array($this->content) ? $this->content : [$this->content]);
    }

    public function __toString(): string
    {
        return is_array($this->content) ? encode($this) : (string) $this->content;
    }
}

/** Build the value that a text describes; a kind that PHP does not have is an error. */
function decode(string $text): mixed
{
    $tree = json_decode($text, false, 2048);
    if (json_last_error() === JSON_ERROR_INVALID_PROPERTY_NAME) {
        // PHP's objects refuse keys that begin with a zero byte; arrays take them, but forget what was an object.
        $tree = json_decode($text, true, 2048);
    }
    if (json_last_error() !== JSON_ERROR_NONE) {
        throw new MalformedValueError(json_last_error_msg());
    }
    return build($tree);
}

function build(mixed $node): mixed
{
    if (is_array($node)) {
        if (isset($node['$']) && !array_is_list($node)) {
            return tagged($node);
        }
        foreach ($node as $key => $item) {
            if (is_array($item) || is_object($item)) {
                $node[$key] = build($item);
            }
        }
        return $node;
    }
    if (is_object($node)) {
        $entries = get_object_vars($node);
        return property_exists($node, '$') ? tagged($entries) : build($entries);
    }
    return $node;
}

function tagged(array $node): mixed
{
    $kind = $node['$'];
    $v = $node['v'] ?? null;
    switch ($kind) {
        case 'int':
            $value = filter_var($v, FILTER_VALIDATE_INT);
            return $value === false ? new Portable('int', $v) : $value;
        case 'float':
            return ['nan' => NAN, 'inf' => INF, '-inf' => -INF][$v] ?? throw new MalformedValueError('not nan, inf or -inf');
        case 'str':
            return from_units($v);
        case 'tuple':
            return build($v);
        case 'set':
        case 'frozenset':
            return new Portable($kind, build($v));
        case 'bytes':
        case 'bytearray':
            $data = base64_decode($v, true);
            return new Portable($kind, $data === false ? throw new MalformedValueError('not base64') : $data);
        case 'deque':
            return new Portable($kind, build($v), $node['maxlen']);
        case 'map':
        case 'ordered_map':
        case 'counter':
        case 'default_map':
            return mapping($kind, build($v), $node['factory'] ?? null);
        case 'record':
            return new Portable($kind, build($node['fields']), $node['name']);
    }
    throw new UnportableError('argument', 'a ' . (is_string($kind) ? $kind : 'tag that is no text'));
}

/** An array where its keys survive as array keys. */
function mapping(string $kind, array $pairs, mixed $factory): mixed
{
    $made = [];
    foreach ($pairs as [$key, $value]) {
        $fits = is_int($key) || (is_string($key) && (string) (int) $key !== $key);
        if ($kind !== 'map' || !$fits) {
            return new Portable($kind, $pairs, $factory);
        }
        $made[$key] = $value;
    }
    // An array whose keys count from 0 would be taken for a list.
    return array_is_list($made) ? new Portable($kind, $pairs, $factory) : $made;
}

function from_units(array $units): string
{
    $text = '';
    for ($i = 0; $i < count($units); $i++) {
        $unit = $units[$i];
        $next = $units[$i + 1] ?? 0;
        if ($unit >= 0xD800 && $unit < 0xDC00 && $next >= 0xDC00 && $next < 0xE000) {
            $text .= utf8(0x10000 + (($unit - 0xD800) << 10) + $next - 0xDC00);
            $i++;
        } else {
            $text .= utf8($unit);
        }
    }
    return $text;
}

function utf8(int $code): string
{
    if ($code < 0x80) {
        return chr($code);
    }
    if ($code < 0x800) {
        return chr(0xC0 | $code >> 6) . chr(0x80 | $code & 0x3F);
    }
    if ($code < 0x10000) {
        return chr(0xE0 | $code >> 12) . chr(0x80 | $code >> 6 & 0x3F) . chr(0x80 | $code & 0x3F);
    }
    return chr(0xF0 | $code >> 18) . chr(0x80 | $code >> 12 & 0x3F) . chr(0x80 | $code >> 6 & 0x3F) . chr(0x80 | $code & 0x3F);
}

/** Write a value as one JSON text in the portable form. */
function encode(mixed $value): string
{
    return (new Writer())->value($value, '$', 1);
}

final class Writer
{
    private int $nodes = 0;

    public function value(mixed $value, string $path, int $depth): string
    {
        return match (true) {
            is_string($value) => self::text($value),
            is_int($value) => self::integer($value),
            is_array($value) => $this->list_or_map($value, $path, $depth),
            is_bool($value) => $value ? 'true' : 'false',
            $value === null => 'null',
            is_float($value) => self::real($value),
            $value instanceof Portable => $this->portable($value, $path, $depth),
            is_object($value) => $this->instance($value, $path, $depth),
            default => throw new UnportableError($path, 'a ' . get_debug_type($value)),
        };
    }

    private function enter(int $children, string $path, int $depth): void
    {
        if ($depth > MAX_DEPTH) {
            throw new UnportableError($path, 'nesting deeper than ' . MAX_DEPTH);
        }
        $this->nodes += $children;
        if ($this->nodes > MAX_NODES) {
            throw new UnportableError($path, 'a tree of more than ' . MAX_NODES . ' values');
        }
    }

    private static function integer(int $value): string
    {
        return $value >= -MAX_PLAIN_INT && $value <= MAX_PLAIN_INT ? (string) $value : '{"$":"int","v":"' . $value . '"}';
    }

    private static function real(float $value): string
    {
        if (is_nan($value)) {
            return '{"$":"float","v":"nan"}';
        }
        if (is_infinite($value)) {
            return '{"$":"float","v":"' . ($value > 0 ? 'inf' : '-inf') . '"}';
        }
        return json_encode($value, JSON_PRESERVE_ZERO_FRACTION);
    }

    /** Text is what is UTF-8; other strings are bytes, unless surrogates are all that is wrong with them. */
    private static function text(string $value): string
    {
        $text = json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS);
        if ($text !== false) {
            return $text;
        }
        $units = self::units($value);
        if ($units === null) {
            return '{"$":"bytes","v":"' . base64_encode($value) . '"}';
        }
        return '{"$":"str","v":[' . implode(',', $units) . ']}';
    }

    private static function units(string $value): ?array
    {
        $units = [];
        $parts = preg_split('/(\xED[\xA0-\xBF][\x80-\xBF])/', $value, -1, PREG_SPLIT_DELIM_CAPTURE | PREG_SPLIT_NO_EMPTY);
        foreach ($parts as $part) {
            if (strlen($part) === 3 && $part[0] === "\xED" && $part[1] >= "\xA0") {
                $units[] = (ord($part[0]) & 0x0F) << 12 | (ord($part[1]) & 0x3F) << 6 | ord($part[2]) & 0x3F;
                continue;
            }
            if (preg_match_all('/./us', $part, $found) === false) {
                return null;
            }
            foreach ($found[0] as $char) {
                $point = self::point($char);
                if ($point < 0x10000) {
                    $units[] = $point;
                } else {
                    array_push($units, 0xD800 | ($point - 0x10000) >> 10, 0xDC00 | $point & 0x3FF);
                }
            }
        }
        return $units;
    }

    /** The code point of one well-formed character; by hand, for neither iconv nor mbstring is always there. */
    private static function point(string $char): int
    {
        $point = ord($char[0]) & [1 => 0x7F, 2 => 0x1F, 3 => 0x0F, 4 => 0x07][strlen($char)];
        for ($at = 1; $at < strlen($char); $at++) {
            $point = $point << 6 | ord($char[$at]) & 0x3F;
        }
        return $point;
    }

    private function items(array $values, string $path, int $depth): string
    {
        $this->enter(count($values), $path, $depth);
        $out = [];
        $index = 0;
        foreach ($values as $item) {
            $out[] = $this->value($item, $path . '[' . $index++ . ']', $depth + 1);
        }
        return '[' . implode(',', $out) . ']';
    }

    private function pairs(iterable $pairs, int $size, string $path, int $depth): string
    {
        $this->enter($size, $path, $depth);
        $out = [];
        foreach ($pairs as [$key, $item]) {
            $out[] = '[' . $this->value($key, "$path.key", $depth + 1) . ',' . $this->value($item, "$path.value", $depth + 1) . ']';
        }
        return '[' . implode(',', $out) . ']';
    }

    private function list_or_map(array $value, string $path, int $depth): string
    {
        if (array_is_list($value)) {
            return $this->items($value, $path, $depth);
        }
        // PHP itself turns the text "5" into the integer 5 when it is a key; among texts it was a text.
        return array_filter(array_keys($value), 'is_string') === []
            ? $this->keyed(array_keys($value), $value, $path, $depth)
            : $this->named($value, $path, $depth);
    }

    private function keyed(array $keys, array $items, string $path, int $depth): string
    {
        return '{"$":"map","v":' . $this->pairs(array_map(null, $keys, $items), count($items), $path, $depth) . '}';
    }

    /** Whether all are texts of a form; `preg_grep` ends without a word at what is no UTF-8. */
    private static function all(array $texts, string $form): bool
    {
        return array_filter($texts, fn ($text) => preg_match($form, $text) !== 1) === [];
    }

    /** A map with text keys: a plain object, unless one of them would be taken for a tag or is no UTF-8. */
    private function named(array $entries, string $path, int $depth): string
    {
        $keys = array_map('strval', array_keys($entries));
        if (in_array('$', $keys, true) || !self::all($keys, '//u')) {
            return $this->keyed($keys, $entries, $path, $depth);
        }
        $this->enter(count($entries), $path, $depth);
        $out = [];
        foreach ($entries as $key => $item) {
            $out[] = self::text((string) $key) . ':' . $this->value($item, "$path.$key", $depth + 1);
        }
        return '{' . implode(',', $out) . '}';
    }

    private function portable(Portable $value, string $path, int $depth): string
    {
        switch ($value->kind) {
            case 'int':
                return '{"$":"int","v":"' . $value->content . '"}';
            case 'bytes':
            case 'bytearray':
                return '{"$":"' . $value->kind . '","v":"' . base64_encode($value->content) . '"}';
            case 'deque':
                return '{"$":"deque","maxlen":' . json_encode($value->more) . ',"v":' . $this->items($value->content, $path, $depth) . '}';
            case 'record':
                return '{"$":"record","name":' . self::text($value->more) . ',"fields":' . $this->pairs($value->content, count($value->content), $path, $depth) . '}';
            case 'set':
            case 'frozenset':
                return '{"$":"' . $value->kind . '","v":' . $this->items($value->content, $path, $depth) . '}';
        }
        $factory = $value->kind === 'default_map' ? '"factory":' . json_encode($value->more) . ',' : '';
        return '{"$":"' . $value->kind . '",' . $factory . '"v":' . $this->pairs($value->content, count($value->content), $path, $depth) . '}';
    }

    private function instance(object $value, string $path, int $depth): string
    {
        if ($value instanceof \stdClass) {
            return $this->named(get_object_vars($value), $path, $depth);
        }
        if ($value instanceof \ArrayObject || $value instanceof \ArrayIterator) {
            return $this->list_or_map($value->getArrayCopy(), $path, $depth);
        }
        if ($value instanceof \SplFixedArray) {
            return $this->items($value->toArray(), $path, $depth);
        }
        if ($value instanceof \UnitEnum) {
            return self::text($value->name);
        }
        if ($value instanceof \Generator) {
            return $this->items(iterator_to_array($value, false), $path, $depth);
        }
        $class = new \ReflectionClass($value);
        if ($class->isInternal()) {
            throw new UnportableError($path, 'a ' . $class->getName());
        }
        $fields = [];
        // The cast shows private properties too; their names carry the class between zero bytes.
        foreach ((array) $value as $name => $item) {
            $fields[] = [substr((string) $name, (int) strrpos("\0" . $name, "\0")), $item];
        }
        $name = $class->isAnonymous() ? 'object' : $class->getShortName();
        $names = array_column($fields, 0);
        if (count(array_unique($names, SORT_STRING)) < count($names)) {
            // A class and its parent may each have a private property of one name.
            throw new UnportableError($path, "a $name with two properties of one name");
        }
        if (!self::all([$name, ...$names], '/\A[^\x00-\x1f]{1,200}\z/u')) {
            // No record may have such names, but a map may have any keys.
            return $this->keyed($names, array_column($fields, 1), $path, $depth);
        }
        return '{"$":"record","name":' . self::text($name) . ',"fields":' . $this->pairs($fields, count($fields), $path, $depth) . '}';
    }
}
