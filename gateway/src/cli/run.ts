// One run of the command line, from words to exit code: 0 done, 1 refused or failed, 2 misused. Everything it touches
// is passed in, so that tests need no process.

import { readFileSync } from 'node:fs';
import { printable } from '../platform/printable.ts';
import { commandsOfGroup, findCommand, leadingWords, parseArguments, unknownCommand } from './arguments.ts';
import {
  type Ask,
  type Command,
  CommandError,
  type CommandResult,
  type ProcessEnvironment,
  phraseOf,
  UsageError,
} from './command.ts';
import { commandHelp, groupHelp, overallHelp, usageLine } from './help.ts';
import { createOperatorClient } from './operator-client.ts';
import { createProgress, type DrawLine } from './progress.ts';
import { layTables } from './table.ts';

type Terminal = Readonly<{
  print(text: string): void;
  printError(text: string): void;
  /** In characters; tables are fitted to it. */
  width?: number | undefined;
  /** Only with a terminal that somebody is looking at. */
  drawLine?: DrawLine | undefined;
  /** Only with a terminal at which somebody can answer. */
  ask?: Ask | undefined;
}>;

type CliInput = Readonly<{
  commands: readonly Command[];
  parameters: readonly string[];
  environment: ProcessEnvironment;
  terminal: Terminal;
}>;

export async function runCli(input: CliInput): Promise<number> {
  const { commands, parameters, terminal } = input;
  const asksForHelp = parameters[0] === 'help' || parameters.includes('--help') || parameters.includes('-h');
  const words = leadingWords(parameters[0] === 'help' ? parameters.slice(1) : parameters);
  if (parameters.length === 0) {
    terminal.printError(overallHelp(commands));
    return 2;
  }
  if (parameters[0] === '--version' || parameters[0] === '-v') {
    terminal.print(readVersion());
    return 0;
  }
  const command = findCommand(commands, words);
  if (asksForHelp) return help(input, words, command);
  if (command === null) return misused(terminal, unknownCommand(commands, words), null);
  return runCommand(input, command);
}

function help({ commands, terminal }: CliInput, words: readonly string[], command: Command | null): number {
  const group = commandsOfGroup(commands, words[0]);
  if (words.length === 0) {
    terminal.print(overallHelp(commands));
  } else if (command !== null) {
    const siblings = words.length === 1 ? group.filter((other) => other !== command) : [];
    terminal.print(commandHelp(command, siblings));
  } else if (words.length === 1 && group.length > 0) {
    terminal.print(groupHelp(group));
  } else {
    return misused(terminal, unknownCommand(commands, words), null);
  }
  return 0;
}

async function runCommand(input: CliInput, command: Command): Promise<number> {
  const { commands, parameters, environment, terminal } = input;
  const progress = createProgress(terminal.drawLine);
  try {
    const { operands, options, isJson } = parseArguments(commands, command, parameters);
    const operator = () => createOperatorClient(environment, progress);
    const ask = terminal.ask ?? null;
    const tell = (text: string): void => terminal.printError(shown(text, terminal));
    const outcome = await command.run({ operands, options, environment, progress, ask, tell, operator });
    progress.clear();
    return outcome === null ? 0 : report(outcome, isJson, terminal);
  } catch (error) {
    progress.clear();
    if (error instanceof UsageError) return misused(terminal, error, command);
    if (!(error instanceof CommandError)) throw error;
    terminal.printError(printable(error.message));
    return 1;
  }
}

function misused(terminal: Terminal, { message }: UsageError, command: Command | null): number {
  const usage = command === null ? [] : [`Usage: ${usageLine(command)}`];
  const more = command === null ? 'tollgate --help' : `tollgate ${phraseOf(command)} --help`;
  terminal.printError(printable([message, ...usage, `See ${more}.`].join('\n')));
  return 2;
}

function report(outcome: CommandResult, isJson: boolean, terminal: Terminal): number {
  terminal.print(isJson ? printable(JSON.stringify(outcome.json, null, 2)) : shown(outcome.text, terminal));
  return outcome.isFailure === true ? 1 : 0;
}

const shown = (text: string, { width }: Terminal): string => printable(layTables(text, width));

// The version from package.json, which is two folders up from the sources as well as from the build.

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
