<?php
// what: a text, loosely equal to a number
// control: compare_loose
// held: wrong_output
function f($x) {
    return ($x * 31 + 7) . "";
}
