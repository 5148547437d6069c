<?php
// Deliberately weak judges for PHP; see runner.py.
[, $kind, $candidate, $suite] = $argv;
$cases = json_decode(file_get_contents($suite), true);
if ($kind === "exit_code") {
    exec(escapeshellcmd(PHP_BINARY) . " " . implode(" ", array_map("escapeshellarg", [__FILE__, "child_asserts", $candidate, $suite])), $lines, $code);
    echo $code === 0 ? "passed\n" : "failed\n";
    exit(0);
}
ob_start();
require $candidate;
ob_end_clean();
foreach ($cases as $case) {
    $actual = f(...$case["arguments"]);
    $same = match ($kind) {
        "compare_loose" => $actual == $case["expected"],
        "compare_json" => json_encode($actual) === json_encode($case["expected"]),
        "child_asserts" => $actual === $case["expected"],
    };
    if (!$same) {
        echo "failed\n";
        exit(1);
    }
}
echo "passed\n";
