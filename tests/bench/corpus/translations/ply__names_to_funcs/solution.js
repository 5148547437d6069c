function some(value) {
  return value !== null && typeof value === "object" ? Object.keys(value).length > 0 : !!value;
}

function names_to_funcs(namelist, fdict) {
  return namelist.map((item) => (item.length && some(item[0]) ? [fdict[item[0]], item[1]] : item));
}
