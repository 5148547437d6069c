function get_links(self: Record<string, number | unknown[] | object | string | null>): (number | unknown[] | object | string | null)[] {
  const link: any = Object.hasOwn(self, "LINK") ? self["LINK"] : [];
  return Array.isArray(link) ? link : [link];
}
