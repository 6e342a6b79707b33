// A request as numbers: one value for every signal the scoring knows. Most signals are groups of phrases from
// catalog/auto/words, one file a language under the same names, so that a weight learnt in one language serves all.

import type { RequestNeeds } from '../../../canonical/request.ts';
import { characterTables } from './characters.ts';
import { compilePhrases, type Phrase } from './phrase-matcher.ts';
import { createShapeReader, type TextShape } from './text-shape.ts';

/** What is known of a request when its tier is chosen. */
export type AutoInput = Readonly<{
  /** The user's last message. */
  text: string;
  /** The rest of the prompt: instructions to the model, names of tools. */
  context: string;
  needs: Pick<RequestNeeds, 'tools' | 'imageInput' | 'videoInput' | 'imageOutput'>;
  messageCount: number;
  promptTokens: number;
}>;

/** Signal names to lists of phrases, comma-separated; one of these for each language. */
export type Words = Readonly<Record<string, readonly string[]>>;

type SignalReader = Readonly<{
  names: readonly string[];
  /** In the order of the names. The next call reuses the array. */
  read(input: AutoInput): Float64Array;
}>;

/** How much of a text's beginning, and of its end, is scored. */
const TEXT_PART_LENGTH = 512;
const CONTEXT_PART_LENGTH = 256;

/** By how often a signal was found: the second time counts less than the first, the fifth not at all. */
const STRENGTHS = [1, 1.5, 1.8, 2];
const CONTEXT_STRENGTH = 0.5;

const SHAPES: Readonly<Record<string, (shape: TextShape) => number>> = {
  'size:tiny': ({ words }) => flag(words <= 4),
  'size:short': ({ words }) => flag(words > 4 && words <= 10),
  'size:medium': ({ words }) => flag(words > 10 && words <= 22),
  'size:long': ({ words }) => flag(words > 22 && words <= 60),
  'size:huge': ({ words }) => flag(words > 60),
  question: ({ questions }) => flag(questions > 0),
  'numbers:some': ({ numbers }) => flag(numbers >= 2),
  'numbers:many': ({ numbers }) => flag(numbers >= 6),
  'list:some': ({ commas }) => flag(commas >= 3),
  'list:many': ({ commas }) => flag(commas >= 5),
  'list:lines': ({ listLines }) => flag(listLines >= 2),
  'code:fence': ({ codeFences }) => flag(codeFences > 0),
  'code:identifier': ({ identifiers }) => flag(identifiers > 0),
  'code:marks': ({ codeMarks, words }) => flag(codeMarks >= 4 && codeMarks * 4 >= words),
  formula: ({ mathMarks }) => flag(mathMarks >= 2),
  percent: ({ percents }) => flag(percents > 0),
  'table:rows': ({ tableLines }) => flag(tableLines > 0),
  'clock-time': ({ clockTimes }) => flag(clockTimes > 0),
  hashtag: ({ hashtags }) => flag(hashtags > 0),
  ticker: ({ tickers }) => flag(tickers > 0),
  'mail-address': ({ addresses }) => flag(addresses > 0),
  link: ({ links }) => flag(links > 0),
};

const CIRCUMSTANCES: Readonly<Record<string, (input: AutoInput) => number>> = {
  tools: ({ needs }) => flag(needs.tools),
  'need:image': ({ needs }) => flag(needs.imageInput),
  'conversation:long': ({ messageCount }) => flag(messageCount > 8),
  'prompt:large': ({ promptTokens }) => flag(promptTokens > 8_000),
};

/** Ends a phrase that often means something else; such phrases make a weaker signal of the same name. */
const HINT_MARK = '?';

const flag = (condition: boolean): number => (condition ? 1 : 0);

export function createSignalReader(languages: readonly Words[]): SignalReader {
  const characters = characterTables();
  const groups = [...new Set(languages.flatMap((words) => Object.keys(words)))].sort();
  const words = [...groups, ...groups.map((group) => group + HINT_MARK)];
  const matcher = compilePhrases(phrasesOf(languages, words), characters);
  const shapes = createShapeReader(characters);
  const shapeSignals = Object.values(SHAPES);
  const circumstanceSignals = Object.values(CIRCUMSTANCES);
  const names = [...words, ...Object.keys(SHAPES), ...Object.keys(CIRCUMSTANCES)];

  const values = new Float64Array(names.length);
  const counts = new Uint16Array(words.length);
  const text = createTextWindow(TEXT_PART_LENGTH);
  const context = createTextWindow(CONTEXT_PART_LENGTH);
  const countInText = (signal: number): void => {
    counts[signal] = (counts[signal] ?? 0) + 1;
  };
  const noteInContext = (signal: number): void => {
    values[signal] = CONTEXT_STRENGTH;
  };

  return {
    names,
    read(input) {
      values.fill(0);
      counts.fill(0);
      text.fill(input.text);
      context.fill(input.context);
      matcher.scan(context.units, context.length(), noteInContext);
      matcher.scan(text.units, text.length(), countInText);
      for (let signal = 0; signal < words.length; signal += 1) {
        const count = counts[signal] ?? 0;
        if (count > 0) values[signal] = (values[signal] ?? 0) + (STRENGTHS[Math.min(count, STRENGTHS.length) - 1] ?? 0);
      }
      const shape = shapes.measure(text.units, text.length());
      let next = words.length;
      for (const signal of shapeSignals) {
        values[next] = signal(shape);
        next += 1;
      }
      for (const signal of circumstanceSignals) {
        values[next] = signal(input);
        next += 1;
      }
      return values;
    },
  };
}

function phrasesOf(languages: readonly Words[], words: readonly string[]): Phrase[] {
  const phrases: Phrase[] = [];
  for (const language of languages) {
    for (const [group, lines] of Object.entries(language)) {
      for (const entry of lines.flatMap((line) => line.split(','))) {
        const text = entry.trim();
        if (text === '') continue;
        const isHint = text.endsWith(HINT_MARK);
        const signal = words.indexOf(isHint ? group + HINT_MARK : group);
        phrases.push({ text: isHint ? text.slice(0, -1) : text, signal });
      }
    }
  }
  return phrases;
}

// The part of a text that is scored, as an array of its code units. A long text is scored by its beginning and its end,
// where people say what they want; this also bounds the work.

type TextWindow = Readonly<{
  units: Uint16Array;
  /** How many of the units are the text's. */
  length(): number;
  fill(text: string): void;
}>;

/** So many units after the text are looked at together with its last ones. */
const LOOK_AHEAD = 2;

/** The array is reused by every text, so a window belongs to one reader. */
export function createTextWindow(partLength: number): TextWindow {
  const units = new Uint16Array(2 * partLength + 1 + LOOK_AHEAD);
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
      if (text.length <= 2 * partLength) append(text);
      else {
        append(text.slice(0, partLength));
        append('\n');
        append(text.slice(-partLength));
      }
      // What the text before has left here would be read as the end of this one.
      units.fill(0, used, used + LOOK_AHEAD);
    },
  };
}
