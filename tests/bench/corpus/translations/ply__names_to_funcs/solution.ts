function names_to_funcs(namelist: any[][], fdict: Record<string, any>): any[][] {
  return namelist.map((item) => (item && item.length && item[0] ? [fdict[item[0]], item[1]] : item));
}
