function get_protocol(url) {
  const i = url.indexOf(":");
  return i > 0 ? url.slice(0, i) : null;
}
