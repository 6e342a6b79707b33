// Completion for fish: one line for each word, with the condition under which it is offered.

import type { Command } from '../command.ts';
import { optionSummary } from '../help.ts';
import { firstWords, operandWords, secondWords } from './words.ts';

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const line = (condition: string, rest: string): string => `complete -c tollgate -n ${quoted(condition)} ${rest}`;

/** After these words, whatever else was typed. */
const within = (words: readonly string[]): string => `__tollgate_begins ${words.join(' ')}`;

function commandLines(command: Command): string[] {
  const condition = within(command.words);
  const options = Object.entries(command.options).map(([name, option]) => {
    const values = option.choices === undefined ? '' : ` -a ${quoted(option.choices.join(' '))}`;
    const takes = option.value === undefined ? '' : ' -x';
    return line(condition, `-l ${name}${takes}${values} -d ${quoted(optionSummary(option))}`);
  });
  const operands = command.operands.flatMap((name) => {
    const words = operandWords(command, name);
    if (words === 'files') return [line(condition, '-F')];
    return words.length === 0 ? [] : [line(condition, `-a ${quoted(words.join(' '))} -d ${name}`)];
  });
  return [...options, ...operands];
}

export function fishCompletion(commands: readonly Command[]): string {
  const firsts = firstWords(commands);
  return [
    '# Completion of tollgate for fish: put it into ~/.config/fish/completions/tollgate.fish',
    'function __tollgate_begins',
    '  set -l typed (commandline -opc)',
    '  test (count $typed) -gt (count $argv); or return 1',
    '  set -l last (math (count $argv) + 1)',
    '  test "$typed[2..$last]" = "$argv"',
    'end',
    'function __tollgate_has',
    '  test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'complete -c tollgate -f',
    "complete -c tollgate -l json -d 'Print JSON for scripts.'",
    "complete -c tollgate -l help -s h -d 'Say more.'",
    ...firsts.map(({ word, summary }) => line('__tollgate_has 1', `-a ${word} -d ${quoted(summary)}`)),
    ...firsts.flatMap(({ word }) =>
      secondWords(commands, word).map((place) =>
        line(`__tollgate_has 2; and ${within([word])}`, `-a ${place.word} -d ${quoted(place.summary)}`),
      ),
    ),
    ...commands.flatMap(commandLines),
  ].join('\n');
}
