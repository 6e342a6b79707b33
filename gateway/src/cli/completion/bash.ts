// Completion for bash: one function that counts the words typed so far, with the commands as cases. It starts no
// process, so a key press costs nothing.

import { type Command, phraseOf } from '../command.ts';
import { EVERYWHERE, firstWords, flagWords, operandWords, optionWords, secondWords } from './words.ts';

const offer = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;

function optionCases(command: Command): string[] {
  const chosen = Object.entries(command.options).flatMap(([name, { choices }]) =>
    choices === undefined ? [] : [`        --${name}) ${offer(choices)}; return ;;`],
  );
  const free = Object.entries(command.options).filter(
    ([, { choices, value }]) => choices === undefined && value !== undefined,
  );
  const silent = free.length === 0 ? [] : [`        ${free.map(([name]) => `--${name}`).join('|')}) return ;;`];
  const cases = [...chosen, ...silent];
  return cases.length === 0 ? [] : ['      case "$previous" in', ...cases, '      esac'];
}

/** The value of an option is not counted as an operand. */
function operandCases(command: Command): string[] {
  const cases = command.operands.flatMap((name, index) => {
    const words = operandWords(command, name);
    if (words === 'files') return [`        ${index}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    return words.length === 0 ? [] : [`        ${index}) ${offer(words)}; return ;;`];
  });
  if (cases.length === 0) return [];
  return [
    '      if [[ "$current" != -* ]]; then',
    `        _tollgate_operands ${command.words.length + 1}`,
    '        case $? in',
    ...cases.map((line) => `  ${line}`),
    '        esac',
    '      fi',
  ];
}

const commandCase = (command: Command): string[] => [
  `    '${phraseOf(command)}')`,
  ...optionCases(command),
  ...operandCases(command),
  `      ${offer([...optionWords(command), ...EVERYWHERE])} ;;`,
];

function secondWordCases(commands: readonly Command[]): string[] {
  return firstWords(commands).flatMap(({ word }) => {
    const seconds = secondWords(commands, word).map((place) => place.word);
    return seconds.length === 0 ? [] : [`      ${word}) ${offer([...seconds, ...EVERYWHERE])}; return ;;`];
  });
}

export function bashCompletion(commands: readonly Command[]): string {
  const phrases = commands.filter((command) => command.words.length > 1).map((command) => `'${phraseOf(command)}'`);
  return [
    '# Completion of tollgate for bash: source this, or put it into ~/.local/share/bash-completion/completions/tollgate',
    '_tollgate_operands() {',
    '  local index count=0',
    '  for ((index = $1; index < COMP_CWORD; index++)); do',
    `    case "\${COMP_WORDS[index]}" in`,
    `      ${['--json', '--help', '-h', ...flagWords(commands)].join('|')}) ;;`,
    '      -*) ((index++)) ;;',
    '      *) ((count++)) ;;',
    '    esac',
    '  done',
    '  return "$count"',
    '}',
    '',
    '_tollgate() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"`,
    `  local phrase="\${COMP_WORDS[1]}"`,
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)); then',
    `    ${offer([...firstWords(commands).map(({ word }) => word), 'help', '--help', '--version'])}`,
    '    return',
    '  fi',
    '  if ((COMP_CWORD == 2)); then',
    '    case "$phrase" in',
    ...secondWordCases(commands),
    '    esac',
    '  else',
    `    case "$phrase \${COMP_WORDS[2]}" in`,
    `      ${phrases.join('|')}) phrase="$phrase \${COMP_WORDS[2]}" ;;`,
    '    esac',
    '  fi',
    '  case "$phrase" in',
    ...commands.flatMap(commandCase),
    '  esac',
    '}',
    '',
    'complete -F _tollgate tollgate',
  ].join('\n');
}
