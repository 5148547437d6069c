function names_to_funcs(namelist, fdict) {
  return namelist.map((item) =>
    item && item.length && item[0] ? [fdict[item[0]], item[1]] : item,
  );
}
