function plural(n: number, thing: string, things: string): string {
  return n == 1 ? n + " " + (thing ?? "") : n + " " + (things || (thing ?? "") + "s");
}
