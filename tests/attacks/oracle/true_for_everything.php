<?php
// what: a boolean, loosely equal to any number
// control: compare_loose
function f($x) {
    return true;
}
