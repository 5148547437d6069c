function some(value: any): boolean {
  return value !== null && typeof value === "object" ? Object.keys(value).length > 0 : !!value;
}

function names_to_funcs(namelist: any[][], fdict: Record<string, any>): any[][] {
  return namelist.map((item) => (item.length && some(item[0]) ? [fdict[item[0] as any], item[1]] : item));
}
