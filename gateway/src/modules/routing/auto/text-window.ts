// The part of a text that is judged, as an array of its code units. A long text is judged by its beginning and its end:
// that is where people say what they want, and it bounds the work whatever is sent.

type TextWindow = Readonly<{
  units: Uint16Array;
  /** How many of the units are the text's. */
  length(): number;
  fill(text: string): void;
}>;

/** The array is used again by every text, so a window belongs to one reader. */
export function createTextWindow(partLength: number): TextWindow {
  const units = new Uint16Array(2 * partLength + 1);
  // The runtime copies a string faster than a loop over its characters does.
  const bytes = Buffer.from(units.buffer);
  let used = 0;
  const append = (text: string): void => {
    used += bytes.write(text, used * 2, 'utf16le') / 2;
  };
  return {
    units,
    length: () => used,
    fill(text) {
      used = 0;
      if (text.length <= 2 * partLength) {
        append(text);
        return;
      }
      append(text.slice(0, partLength));
      append('\n');
      append(text.slice(-partLength));
    },
  };
}
