// Words for answers, and their sizes. A token is four characters here, always, so that a test can compute every count
// that it will see.

const CHARACTERS_PER_TOKEN = 4;

const FILLER = 'The simulator speaks plain words at an even pace so that sizes are easy to predict. ';
const UNICODE_FILLER = 'Zoë ate naïve crêpes in Århus, 世界は広い, привет, שלום, 👋🏽 👩‍👩‍👧‍👦 and €5. ';

export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

export function cutToTokens(text: string, tokens: number): string {
  return cutText(text, tokens * CHARACTERS_PER_TOKEN);
}

/** Never ends inside a surrogate pair, so the result may be one unit shorter than asked. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = length === 0 ? 0 : text.charCodeAt(length - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHighSurrogate ? length - 1 : length);
}

export function fillerText(length: number): string {
  return FILLER.repeat(Math.ceil(length / FILLER.length)).slice(0, length);
}

export function unicodeText(length: number): string {
  return cutText(UNICODE_FILLER.repeat(Math.ceil(length / UNICODE_FILLER.length)), length);
}

/** Pieces as a model would stream them: a word with the space before it, long words in parts. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}|\s+$/gu) ?? [];
}

/** Exactly `pieceCount` pieces; a text too short for that many is lengthened. */
export function splitEvenly(text: string, pieceCount: number): readonly string[] {
  const long = text.length < pieceCount ? text + fillerText(pieceCount - text.length) : text;
  const units = Array.from(long);
  if (units.length < pieceCount) units.push(...fillerText(pieceCount - units.length));
  const pieces: string[] = [];
  for (let index = 0; index < pieceCount; index += 1) {
    const start = Math.floor((index * units.length) / pieceCount);
    const end = Math.floor(((index + 1) * units.length) / pieceCount);
    pieces.push(units.slice(start, end).join(''));
  }
  return pieces;
}

/** The friendly default answer: it quotes the prompt, so that a person sees that their words arrived. */
export function friendlyText(prompt: string): string {
  const quote = cutText(prompt.replace(/\s+/g, ' ').trim(), 120);
  const heard = quote === '' ? 'Hello!' : `You said: "${quote}".`;
  return `${heard} I am the Tollgate simulator, so this answer is made up, but the whole path to it works.`;
}
