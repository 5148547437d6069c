function has_quoted_quotes(token) {
  const plain = token.plain;
  const empty = plain !== null && typeof plain === "object" ? Object.keys(plain).length === 0 : !plain;
  if (!empty) return false;
  return (token.style === "'" && token.value.includes('"')) || (token.style === '"' && token.value.includes("'"));
}
