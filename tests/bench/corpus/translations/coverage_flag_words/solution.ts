function flag_words(flags: number, flag_defs: [string, number][]): string {
  const bits = BigInt(flags);
  return flag_defs.filter(([, value]) => (bits & BigInt(value)) !== 0n).map(([word]) => word).join(", ");
}
