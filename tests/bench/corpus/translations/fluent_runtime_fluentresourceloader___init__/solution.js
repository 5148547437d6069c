'use strict';

function fluent_resource_loader_init(roots) {
  return { roots: typeof roots === 'string' ? [roots] : (roots === undefined ? null : roots) };
}

if (typeof module !== 'undefined') module.exports = { fluent_resource_loader_init };
