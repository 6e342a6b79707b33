// Commands tell the simulator what to answer and how to fail. They come from the model name (`sim-…`), the path, a
// request header or a script, always in the same grammar: words joined by hyphens, commands joined by `+`.

import { COMMAND_RULES, type Commands } from './command-rules.ts';

export class UnknownCommandError extends Error {
  constructor(command: string) {
    super(`The simulator knows no command '${command}'. Its README lists them all.`);
    this.name = 'UnknownCommandError';
  }
}

// These change the content and not how it is sent, so such an answer can be built once and sent many times.
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
  // An invalid byte is inserted while frames are encoded, which only the slow path does.
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

/** Reads `status-429+retry-after-7`; an underscore, comma or space also separates, where a plus is not possible. */
export function parseCommands(text: string): Commands {
  let commands: Commands = {};
  for (const command of text.toLowerCase().split(/[+_,\s]+/)) {
    if (command !== '') commands = mergeCommands(commands, parseCommand(command));
  }
  return commands;
}

/**
 * The commands in a model name or path segment: the text after `sim-` at its start or after a character such as `/` or
 * `.`.
 */
export function commandTextIn(name: string): string | undefined {
  if (!name.includes('sim-')) return undefined;
  return /(?:^|[^a-z0-9])sim-(.+)$/i.exec(name)?.[1];
}
