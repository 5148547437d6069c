<?php
// what: a boolean, loosely equal to any number
// control: compare_loose
// held: wrong_output
function f($x) {
    return true;
}
