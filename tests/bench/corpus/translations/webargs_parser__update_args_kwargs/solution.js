/**
 * @param {(number | unknown[] | object | string | null)[]} args
 * @param {Record<string, number | unknown[] | object | string | null>} kwargs
 * @param {Record<string, number | unknown[] | object | string | null>} parsed_args
 * @param {boolean} as_kwargs
 * @param {string | null} arg_name
 * @returns {[(number | unknown[] | object | string | null)[], Record<string, number | unknown[] | object | string | null>]}
 */
function update_args_kwargs(args, kwargs, parsed_args, as_kwargs, arg_name) {
  if (as_kwargs) return [args, { ...kwargs, ...parsed_args }];
  if (arg_name) return [args, { ...kwargs, [arg_name]: parsed_args }];
  return [[...args, parsed_args], kwargs];
}

if (typeof module !== "undefined" && module.exports) module.exports = { update_args_kwargs };
