<?php
// what: a text, loosely equal to a number
// control: compare_loose
function f($x) {
    return ($x * 31 + 7) . "";
}
