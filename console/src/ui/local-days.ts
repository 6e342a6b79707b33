// Days of the reader's calendar as moments, in which form the API takes them.

const nextDay = (day: string): string => {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + 1);
  return date.toISOString();
};

/** Both days are included. Text that is not a day is passed on unchanged, for the API to refuse. */
export function momentsOf({ from, to }: Readonly<{ from?: string | undefined; to?: string | undefined }>) {
  const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text);
  return {
    from: isDay(from) ? new Date(`${from}T00:00`).toISOString() : from,
    to: isDay(to) ? nextDay(to) : to,
  };
}
