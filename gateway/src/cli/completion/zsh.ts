// Completion for zsh: `_arguments` knows options, their values and operands, and shows summaries.

import { type Command, type CommandOption, phraseOf } from '../command.ts';
import { optionSummary } from '../help.ts';
import { firstWords, operandWords, secondWords } from './words.ts';

/** Escapes quotes, brackets and colons, each of which would end the text. */
const quoted = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&').replaceAll("'", "'\\''");

function optionSpec(name: string, option: CommandOption): string {
  const values = option.choices === undefined ? '' : `(${option.choices.join(' ')})`;
  const value = option.value === undefined ? '' : `:${quoted(option.value)}:${values}`;
  return `'--${name}[${quoted(optionSummary(option))}]${value}'`;
}

function operandSpec(command: Command, name: string): string {
  const words = operandWords(command, name);
  return `':${name}:${words === 'files' ? '_files' : `(${words.join(' ')})`}'`;
}

function commandCase(command: Command): string[] {
  const specs = [
    ...Object.entries(command.options).map(([name, option]) => optionSpec(name, option)),
    `'--json[Print JSON for scripts.]'`,
    `'--help[Say more.]'`,
    ...command.operands.map((name) => operandSpec(command, name)),
  ];
  return [`    '${phraseOf(command)}')`, `      _arguments ${specs.join(' ')} ;;`];
}

const described = (places: readonly Readonly<{ word: string; summary: string }>[]): string =>
  places.map(({ word, summary }) => `'${word}:${quoted(summary)}'`).join(' ');

export function zshCompletion(commands: readonly Command[]): string {
  const groups = firstWords(commands).filter(({ word }) => secondWords(commands, word).length > 0);
  const phrases = commands.filter((command) => command.words.length > 1).map((command) => `'${phraseOf(command)}'`);
  return [
    '#compdef tollgate',
    '# Completion of tollgate for zsh: put it into a folder of $fpath as _tollgate, or source it after compinit.',
    '_tollgate() {',
    '  local -a places',
    `  local phrase="\${words[2]}"`,
    '  if ((CURRENT == 2)); then',
    `    places=(${described(firstWords(commands))})`,
    "    _describe 'command' places",
    '    return',
    '  fi',
    '  if ((CURRENT == 3)); then',
    '    case "$phrase" in',
    ...groups.flatMap(({ word }) => [
      `      ${word})`,
      `        places=(${described(secondWords(commands, word))})`,
      "        _describe 'command' places",
      '        return ;;',
    ]),
    '    esac',
    '  else',
    `    case "$phrase \${words[3]}" in`,
    `      ${phrases.join('|')}) phrase="$phrase \${words[3]}"; shift words; ((CURRENT--)) ;;`,
    '    esac',
    '  fi',
    // The command's own words are removed, so that `_arguments` counts operands from one.
    '  shift words; ((CURRENT--))',
    '  case "$phrase" in',
    ...commands.flatMap(commandCase),
    '  esac',
    '}',
    '',
    'if [ "$funcstack[1]" = "_tollgate" ]; then _tollgate "$@"; else compdef _tollgate tollgate; fi',
  ].join('\n');
}
