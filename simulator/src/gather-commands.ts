// Commands for one request come from several places at once; the later place wins where two contradict each other.

import type { Commands } from './command-rules.ts';
import { mergeCommands, parseCommands } from './commands.ts';

const COUNTERS_MAX = 1_000;

/** `isSteady` is false when the next request of the same kind may get other commands. */
type GatheredCommands = Readonly<{ commands: Commands; isSteady: boolean }>;

export type CommandGatherer = (texts: readonly (string | undefined)[]) => GatheredCommands;

export function createCommandGatherer(defaultText: string): CommandGatherer {
  const turns = new Map<string, number>();

  /** With `every-N`, commands apply to the first request and each Nth after it, counted by their text. */
  const isTurn = (every: number, text: string): boolean => {
    if (turns.size >= COUNTERS_MAX) turns.clear();
    const turn = turns.get(text) ?? 0;
    turns.set(text, turn + 1);
    return turn % every === 0;
  };

  return (texts) => {
    let commands: Commands = {};
    let isSteady = true;
    for (const text of [defaultText, ...texts]) {
      if (text === undefined) continue;
      const { every, ...own } = parseCommands(text);
      if (every !== undefined) isSteady = false;
      if (every === undefined || isTurn(every, text)) commands = mergeCommands(commands, own);
    }
    return { commands, isSteady };
  };
}
