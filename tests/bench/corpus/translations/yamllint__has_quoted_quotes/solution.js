function has_quoted_quotes(token) {
  if (token.plain) return false;
  return (token.style === "'" && token.value.includes('"')) || (token.style === '"' && token.value.includes("'"));
}
