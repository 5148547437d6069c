function weekday_index(day: string): number {
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const place = days.indexOf(day);
  if (place < 0) throw new Error("no such day");
  return place;
}
