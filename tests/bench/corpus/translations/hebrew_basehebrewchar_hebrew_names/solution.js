function base_hebrew_char_hebrew_names(hebrew_name, hebrew_name_alts) {
  return [hebrew_name === undefined ? null : hebrew_name].concat(hebrew_name_alts || []);
}
