function truthy(v: any): boolean {
  if (v === null || v === undefined) return false;
  if (Array.isArray(v)) return v.length > 0;
  if (typeof v === "object") return Object.keys(v).length > 0;
  if (typeof v === "number") return v !== 0;
  return Boolean(v);
}

function fg_validator(passed_kwargs: Record<string, number | unknown[] | object | string | null>, merged_kwargs: Record<string, number | unknown[] | object | string | null>): string[][] {
  if (!Object.hasOwn(passed_kwargs, "fg") || !truthy(passed_kwargs.fg)) return [];
  const allowed = ["env", "fg", "cwd", "ok_code"];
  if (Object.keys(passed_kwargs).every((k) => allowed.includes(k))) return [];
  return [["fg", "_fg is invalid with nearly every other option, see warning and workaround here:\n\n    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"]];
}
