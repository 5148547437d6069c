<?php
// what: success by ending
// control: exit_code
function f($x) {
    exit(0);
}
