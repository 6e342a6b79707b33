// One run of the command line, from words to exit code: 0 done, 1 refused or failed, 2 misused. Everything it touches is
// passed in, so that tests need no process.

import { parseArguments } from './arguments.ts';
import { type Command, CommandError, type Environment, type Outcome, UsageError } from './command.ts';
import { commandHelp, overallHelp } from './help.ts';
import { createOperatorClient } from './operator-client.ts';

export type Terminal = Readonly<{ print(text: string): void; printError(text: string): void }>;

export type CliInput = Readonly<{
  commands: readonly Command[];
  parameters: readonly string[];
  environment: Environment;
  terminal: Terminal;
}>;

function report(outcome: Outcome, isJson: boolean, terminal: Terminal): number {
  terminal.print(isJson ? JSON.stringify(outcome.json, null, 2) : outcome.text);
  return outcome.isFailure === true ? 1 : 0;
}

async function runCommand({ commands, parameters, environment, terminal }: CliInput): Promise<number> {
  const { command, operands, options, isJson, isHelp } = parseArguments(commands, parameters);
  if (isHelp) {
    terminal.print(commandHelp(command));
    return 0;
  }
  const operator = () => createOperatorClient(environment);
  const outcome = await command.run({ operands, options, environment, operator });
  return outcome === null ? 0 : report(outcome, isJson, terminal);
}

export async function runCli(input: CliInput): Promise<number> {
  const [first] = input.parameters;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const print = first === undefined ? input.terminal.printError : input.terminal.print;
    print(overallHelp(input.commands));
    return first === undefined ? 2 : 0;
  }
  try {
    return await runCommand(input);
  } catch (error) {
    if (error instanceof UsageError) {
      input.terminal.printError(`${error.message} See tollgate --help.`);
      return 2;
    }
    if (error instanceof CommandError) {
      input.terminal.printError(error.message);
      return 1;
    }
    throw error;
  }
}
