// Commands for one request come from several places at once; the later in the row wins where two contradict each other.

import { type Commands, mergeCommands, parseCommands } from './commands.ts';

const COUNTERS_MAX = 1_000;

export type CommandGatherer = (texts: readonly (string | undefined)[]) => Commands;

export function createCommandGatherer(defaults: Commands): CommandGatherer {
  const turns = new Map<string, number>();

  /** With `every-N`, commands hold for the first request and each Nth after it, counted by their text. */
  const isTurn = (every: number, text: string): boolean => {
    if (turns.size >= COUNTERS_MAX) turns.clear();
    const turn = turns.get(text) ?? 0;
    turns.set(text, turn + 1);
    return turn % every === 0;
  };

  return (texts) => {
    let commands = defaults;
    for (const text of texts) {
      if (text === undefined) continue;
      const { every, ...own } = parseCommands(text);
      if (every === undefined || isTurn(every, text)) commands = mergeCommands(commands, own);
    }
    return commands;
  };
}
