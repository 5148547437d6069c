<?php
// The harness for PHP: loads the candidate, answers one frame per case (docs/harness-protocol.md).

namespace Touchstone;

require __DIR__ . '/codec.php';

const TYPE_LIMIT = 200;
const MESSAGE_LIMIT = 2000;

final class LoadError extends \Exception
{
    public function __construct(public readonly string $type, string $message)
    {
        parent::__construct($message);
    }
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

/** Give a function that calls the entry point with a list of arguments. */
function load(string $source, string $entry): \Closure
{
    $code = file_get_contents($source);
    if (!str_contains($code, '<?')) {
        // A bare function is a candidate too; it stays on its lines.
        $source = dirname($source) . '/candidate.tagged.php';
        file_put_contents($source, '<?php ' . $code);
    }
    [$functions, $classes] = [get_defined_functions()['user'], get_declared_classes()];
    try {
        (static function () use ($source): void {
            require $source;
        })();
    } catch (\CompileError $error) {
        throw new LoadError('CompileError', 'line ' . $error->getLine() . ': ' . $error->getMessage());
    }
    if (!str_contains($entry, '.')) {
        $own = array_diff(get_defined_functions()['user'], $functions);
        $function = meant($entry, $own);
        if ($function === null) {
            throw new LoadError('EntryPointError', "$entry is not a function of the candidate; it has " . listed($own));
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
        throw new LoadError('EntryPointError', "$entry is not a method of the candidate; it has " . listed($there));
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

function serve(): void
{
    $frames = new Frames();
    $order = $frames->read();
    if ($order === null) {
        return;
    }
    $order = json_decode($order, true);
    try {
        $call = load($order['source'], $order['entry']);
    } catch (LoadError $error) {
        $frames->write('{"o":"load_error","t":' . words($error->type, TYPE_LIMIT) . ',"m":' . words($error->getMessage(), MESSAGE_LIMIT) . '}');
        return;
    } catch (\Throwable $thrown) {
        $frames->write('{"o":"load_error","t":' . words($thrown::class, TYPE_LIMIT) . ',"m":' . words($thrown->getMessage(), MESSAGE_LIMIT) . '}');
        return;
    }
    $frames->write('{"o":"ready"}');
    while (($request = $frames->read()) !== null) {
        $frames->write(answer($call, $request));
    }
}

serve();
