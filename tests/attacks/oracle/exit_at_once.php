<?php
// what: success by ending
// control: exit_code
// held: exited
function f($x) {
    exit(0);
}
