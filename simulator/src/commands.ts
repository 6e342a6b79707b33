// Commands tell the simulator what to answer and how to fail. They come from the model name (`sim-…`), the path, a request
// header or a script, always in the same grammar: words joined by hyphens, commands joined by `+`.

import { COMMAND_RULES } from './command-rules.ts';

export type UsageFault =
  | 'none'
  | 'null'
  | 'zero'
  | 'zero-output'
  | 'zero-input'
  | 'negative'
  | 'fraction'
  | 'string'
  | 'absurd'
  | 'twice'
  | 'every-chunk'
  | 'on-finish'
  | 'always';

export type ConnectionFault =
  | 'close'
  | 'reset'
  | 'reset-in-headers'
  | 'garbage'
  | 'stall'
  | 'stall-in-headers'
  | 'stall-body';

export type BodyFault = 'bad-json' | 'cut-json' | 'short-body' | 'html' | 'empty' | 'error-200';

export type StreamEnding = Readonly<{
  action: 'reset' | 'cut' | 'eof' | 'stall';
  /** A number counts content chunks that still go out. */
  position: number | 'before-finish' | 'before-usage' | 'after-usage';
}>;

export type FrameStyle =
  | 'crlf'
  | 'cr'
  | 'bom'
  | 'comments'
  | 'multi-line'
  | 'no-space'
  | 'field-noise'
  | 'after-done'
  | 'split-utf8'
  | 'byte-by-byte';

export type ContentEncoding = 'gzip' | 'br' | 'deflate' | 'gzip-twice' | 'gzip-fake';

export type Commands = Readonly<{
  promptTokens?: number;
  completionTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  /** Beside the completion, in the total alone. */
  apartTokens?: number;
  /** Beside the prompt, in the details and the total. */
  audioBesideTokens?: number;
  summary?: Readonly<{ promptTokens: number; completionTokens: number }>;
  advice?: Readonly<{ promptTokens: number; completionTokens: number; model: string }>;
  /** The model that answered in the place of the one that was asked. */
  substitute?: string;
  reasoning?: Readonly<{ style: 'content' | 'details' | 'hidden' | 'redacted'; tokens: number }>;
  chunks?: number;
  size?: number;
  calls?: number;
  seconds?: number;
  costMicroUsd?: number;
  pictures?: number;
  pictureNumber?: number;
  pictureBytes?: number;
  pictureForm?: 'url' | 'bytes';
  /** What the first so many pictures are instead. */
  pictureFault?: Readonly<{ kind: 'html' | 'svg' | 'garbage' | 'cut' | 'missing' | 'private'; count: number }>;
  provider?: string;
  isOtherModel?: boolean;
  text?: 'unicode' | 'nul' | 'invalid-utf8';
  finish?: 'length' | 'filtered' | 'error';
  usage?: UsageFault;
  giantLineKilobytes?: number;
  videoQueueMs?: number;
  videoRunMs?: number;
  videoEnd?: 'fails' | 'refused' | 'stuck' | 'vanishes';
  videoMegabytes?: number;
  outputs?: number;
  hasNoRanges?: boolean;
  hasNoSeconds?: boolean;

  status?: number;
  retryAfter?: string;
  redirect?: number;
  refusal?: 'policy' | 'context-length';
  body?: BodyFault;

  errorFrameAfter?: number;
  badFrameAfter?: number;
  ending?: StreamEnding;
  isEndless?: boolean;
  styles?: readonly FrameStyle[];

  connection?: ConnectionFault;
  waitMs?: number;
  delayMs?: number;
  dripMs?: number;
  encoding?: ContentEncoding;
  bombMegabytes?: number;
  transfer?: 'chunked' | 'close';
  hasHostileHeaders?: boolean;
  giantHeaderKilobytes?: number;

  every?: number;
}>;

export class UnknownCommandError extends Error {
  constructor(command: string) {
    super(`The simulator knows no command '${command}'. Its README lists them all.`);
    this.name = 'UnknownCommandError';
  }
}

// These change what is said and not how it travels, so such an answer can be built once and sent many times.
const CONTENT_KEYS: ReadonlySet<string> = new Set([
  'promptTokens',
  'completionTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'apartTokens',
  'audioBesideTokens',
  'summary',
  'advice',
  'substitute',
  'reasoning',
  'chunks',
  'size',
  'calls',
  'seconds',
  'costMicroUsd',
  'pictures',
  'pictureNumber',
  'pictureBytes',
  'pictureForm',
  'pictureFault',
  'provider',
  'isOtherModel',
  'text',
  'finish',
  'usage',
  'videoQueueMs',
  'videoRunMs',
  'videoEnd',
  'videoMegabytes',
  'outputs',
  'hasNoRanges',
  'hasNoSeconds',
]);

export function travelsPlainly(commands: Commands): boolean {
  // A raw invalid byte is put in while frames are encoded, which only the slow road does.
  if (commands.text === 'invalid-utf8') return false;
  for (const key in commands) if (!CONTENT_KEYS.has(key)) return false;
  return true;
}

export function mergeCommands(first: Commands, second: Commands): Commands {
  const merged = { ...first, ...second };
  if (first.styles === undefined || second.styles === undefined) return merged;
  return { ...merged, styles: [...first.styles, ...second.styles] };
}

function parseCommand(command: string): Commands {
  for (const rule of COMMAND_RULES) {
    const match = rule.pattern.exec(command);
    if (match !== null) return rule.read(match.slice(1));
  }
  throw new UnknownCommandError(command);
}

/** Reads `status-429+retry-after-7`; an underscore, comma or space separates as well, where a plus is not welcome. */
export function parseCommands(text: string): Commands {
  let commands: Commands = {};
  for (const command of text.toLowerCase().split(/[+_,\s]+/)) {
    if (command !== '') commands = mergeCommands(commands, parseCommand(command));
  }
  return commands;
}

/** The commands in a model name or path segment: what follows `sim-` at its start or after a sign such as `/` or `.`. */
export function commandTextIn(name: string): string | undefined {
  if (!name.includes('sim-')) return undefined;
  return /(?:^|[^a-z0-9])sim-(.+)$/i.exec(name)?.[1];
}
