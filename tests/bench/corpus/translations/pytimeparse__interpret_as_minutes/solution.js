'use strict';

function interpret_as_minutes(sval, mdict) {
  const result = { ...mdict };
  const absent = (key) => result[key] === undefined || result[key] === null;
  if (
    sval.split(':').length === 2 &&
    !sval.includes('.') &&
    absent('hours') &&
    absent('days') &&
    absent('weeks') &&
    !absent('mins') &&
    !absent('secs')
  ) {
    result.hours = result.mins;
    result.mins = result.secs;
    delete result.secs;
  }
  return result;
}

if (typeof module !== 'undefined') module.exports = { interpret_as_minutes };
