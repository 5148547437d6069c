<?php
// what: success by a shutdown function
// control: exit_code
// held: raised Exception
register_shutdown_function(function () { exit(0); });
set_exception_handler(function ($error) { exit(0); });
function f($x) {
    throw new Exception("wrong");
}
