// Completion for shells. It is made from the table of all commands, which contains this one, so the table is read when
// the command runs.

import { type Command, operand } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completionCommand = (all: () => readonly Command[]): Command => ({
  words: ['completion'],
  operands: ['SHELL'],
  operandChoices: { SHELL: Object.keys(SCRIPTS) },
  options: {},
  summary: 'Print the completion script of a shell.',
  example: 'completion bash',
  async run(input) {
    const shell = operand(input, 'SHELL');
    const script = SCRIPTS[shell]?.(all()) ?? '';
    return { json: { shell, script }, text: script };
  },
});
