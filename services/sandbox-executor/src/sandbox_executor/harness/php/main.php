<?php
// The harness for PHP: loads the candidate, answers one frame per case (docs/harness-protocol.md).

namespace Touchstone;

require __DIR__ . '/codec.php';

const TYPE_LIMIT = 200;
const MESSAGE_LIMIT = 2000;

final class EntryPointError extends \Exception
{
}

final class Frames
{
    /** @var resource */
    private $requests;
    /** @var resource */
    private $responses;

    public function __construct()
    {
        $this->requests = fopen('php://fd/3', 'rb');
        $this->responses = fopen('php://fd/4', 'wb');
        stream_set_write_buffer($this->responses, 0);
    }

    private function bytes(int $count): ?string
    {
        $found = '';
        while (strlen($found) < $count) {
            $chunk = fread($this->requests, $count - strlen($found));
            if ($chunk === false || $chunk === '') {
                return null;
            }
            $found .= $chunk;
        }
        return $found;
    }

    public function read(): ?string
    {
        $header = $this->bytes(4);
        return $header === null ? null : $this->bytes(unpack('N', $header)[1]);
    }

    public function write(string $text): void
    {
        // What the candidate printed may wait in a buffer that it opened itself.
        while (ob_get_level() > 0) {
            ob_end_flush();
        }
        flush();
        $frame = pack('N', strlen($text)) . $text;
        for ($at = 0; $at < strlen($frame);) {
            $count = fwrite($this->responses, substr($frame, $at));
            if ($count === false) {
                exit(70);
            }
            $at += $count;
        }
    }
}

function words(string $text, int $limit): string
{
    return json_encode(
        substr($text, 0, $limit),
        JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS | JSON_INVALID_UTF8_SUBSTITUTE,
    );
}

/**
 * The one of the candidate's functions or classes that a name means: the global one, or the only one in whatever
 * namespace. What PHP itself has by that name is not the candidate's.
 */
function meant(string $name, array $own): ?string
{
    $named = array_values(preg_grep('/(\A|\\\\)' . preg_quote($name, '/') . '\z/i', $own));
    $global = array_values(array_filter($named, fn ($one) => !str_contains($one, '\\')));
    return $global[0] ?? (count($named) === 1 ? $named[0] : null);
}

function listed(array $names): string
{
    sort($names);
    return implode(', ', array_slice($names ?: ['no functions'], 0, 20));
}

/** Whether code without a tag is a program by itself: its texts may have tags in them. */
function isBare(string $code): bool
{
    if (!str_contains($code, '<?')) {
        return true;
    }
    if (preg_match('/\A\s*<\?/', $code)) {
        return false;
    }
    try {
        token_get_all('<?php ' . $code, TOKEN_PARSE);
        return true;
    } catch (\Throwable) {
        return !preg_match('/<\?(php\b|=)/i', $code);
    }
}

/** The file that is to be required for a source; everything in it stays on its lines. */
function required(string $source): string
{
    $code = file_get_contents($source);
    $tagged = isBare($code) ? '<?php ' . $code : preg_replace('/\A#![^\n]*\n<\?php(?=\s)/', "<?php\n", $code);
    if ($tagged === $code) {
        return $source;
    }
    $file = dirname($source) . '/candidate.tagged.php';
    file_put_contents($file, $tagged);
    return $file;
}

/** What there is before the candidate is loaded, and the answers to its cases afterwards. */
final class Harness
{
    private static Frames $frames;
    private static string $file;
    private static string $entry;
    private static array $functions;
    private static array $classes;

    /** Take the order; false where there is none. */
    public static function begin(): bool
    {
        self::$frames = new Frames();
        $order = self::$frames->read();
        if ($order === null) {
            return false;
        }
        ['source' => $source, 'entry' => self::$entry] = json_decode($order, true);
        self::$file = required($source);
        [self::$functions, self::$classes] = [get_defined_functions()['user'], get_declared_classes()];
        return true;
    }

    public static function file(): string
    {
        return self::$file;
    }

    public static function serve(): void
    {
        try {
            $call = entryPoint(self::$entry, self::$functions, self::$classes);
        } catch (EntryPointError $error) {
            self::refuse('EntryPointError', $error->getMessage());
            return;
        }
        self::$frames->write('{"o":"ready"}');
        while (($request = self::$frames->read()) !== null) {
            self::$frames->write(answer($call, $request));
        }
    }

    /** Tell why the candidate cannot be loaded. */
    public static function fail(\Throwable $thrown): void
    {
        if ($thrown instanceof \CompileError) {
            self::refuse('CompileError', 'line ' . $thrown->getLine() . ': ' . $thrown->getMessage());
        } else {
            self::refuse($thrown::class, $thrown->getMessage());
        }
    }

    private static function refuse(string $type, string $message): void
    {
        self::$frames->write('{"o":"load_error","t":' . words($type, TYPE_LIMIT) . ',"m":' . words($message, MESSAGE_LIMIT) . '}');
    }
}

/** Give a function that calls the entry point with a list of arguments; `functions` and `classes` are not the candidate's. */
function entryPoint(string $entry, array $functions, array $classes): \Closure
{
    if (!str_contains($entry, '.')) {
        $own = array_diff(get_defined_functions()['user'], $functions);
        $function = meant($entry, $own);
        if ($function === null) {
            throw new EntryPointError("$entry is not a function of the candidate; it has " . listed($own));
        }
        return fn (array $values) => $function(...$values);
    }
    [$class, $method] = explode('.', $entry, 2);
    $own = array_diff(get_declared_classes(), $classes);
    $owner = meant($class, $own);
    if ($owner === null || !method_exists($owner, $method)) {
        $there = $owner === null ? [...$own, ...array_diff(get_defined_functions()['user'], $functions)] : [];
        foreach ($owner === null ? [] : (new \ReflectionClass($owner))->getMethods() as $one) {
            $there[] = "$class.$one->name";
        }
        throw new EntryPointError("$entry is not a method of the candidate; it has " . listed($there));
    }
    $found = new \ReflectionMethod($owner, $method);
    return fn (array $values) => $found->invokeArgs($found->isStatic() ? null : new $owner(), $values);
}

function answer(\Closure $call, string $request): string
{
    $head = substr($request, 0, strpos($request, ','));
    try {
        $arguments = decode($request)['args'];
        return $head . ',"o":"returned","v":' . encode($call(array_values($arguments))) . '}';
    } catch (\Throwable $thrown) {
        $type = $thrown::class;
        $type = str_starts_with($type, __NAMESPACE__ . '\\') ? substr($type, strlen(__NAMESPACE__) + 1) : $type;
        return $head . ',"o":"raised","t":' . words($type, TYPE_LIMIT) . ',"m":' . words($thrown->getMessage(), MESSAGE_LIMIT) . '}';
    }
}

if (!Harness::begin()) {
    return;
}
// Not within a function, so that what the candidate sets outside of its own is global.
try {
    require Harness::file();
} catch (\Throwable $thrown) {
    Harness::fail($thrown);
    return;
}
Harness::serve();
