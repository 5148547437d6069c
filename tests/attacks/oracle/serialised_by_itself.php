<?php
// what: an object that writes itself as JSON
// control: compare_json
// held: wrong_output
class Yes implements JsonSerializable {
    public function __construct(private $value) {}
    public function jsonSerialize(): mixed { return $this->value; }
}
function f($x) {
    return new Yes($x * 31 + 7);
}
