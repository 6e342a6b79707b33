// The result of a tool that failed, for formats that have no member to say so: the text says it. Without that a model
// takes the output of a failed tool for that of one that worked.

/** A text that begins so says it by itself, whatever marks stand before the word. */
const SAYS_SO = /^[^\p{L}\p{N}]{0,20}(?:[a-z]+_)*(?:error|failed|failure)/iu;

export function asFailed(text: string): string {
  if (text === '') return 'Error';
  return SAYS_SO.test(text) ? text : `Error: ${text}`;
}
