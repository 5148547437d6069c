function parse_address(address) {
  const words = address.split(":");
  if (words.length !== 2) throw new Error("address must be host:port");
  const text = words[1].trim();
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error("port must be an integer");
  const port = Number(text);
  if (!(port > 0 && port < 65536)) throw new Error("port out of range");
  return [words[0], port];
}
