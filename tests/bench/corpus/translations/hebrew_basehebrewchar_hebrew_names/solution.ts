function base_hebrew_char_hebrew_names(hebrew_name: string | null, hebrew_name_alts: string[] | null): (string | null)[] {
  const out: (string | null)[] = [hebrew_name === undefined ? null : hebrew_name];
  return out.concat(hebrew_name_alts || []);
}
