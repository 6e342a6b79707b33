// Reads single figures from a Prometheus text, whatever their labels.

/** The sum over all series whose name matches; null when there is none. */
export function sumOf(text: string, name: RegExp): number | null {
  let sum: number | null = null;
  for (const line of text.split('\n')) {
    const series = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? (\S+)$/.exec(line);
    if (series?.[1] !== undefined && name.test(series[1])) sum = (sum ?? 0) + Number(series[2]);
  }
  return sum;
}
