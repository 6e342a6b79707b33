#!/usr/bin/env node
// The entry point of the command line: arguments, environment, terminal and exit code. The exit code is set and the
// process not ended, because `serve` and `sim` go on running after their command has returned.

import { createAsk } from './ask.ts';
import { allCommands } from './commands/all.ts';
import { runCli } from './run.ts';

/** Clears the line and returns to its beginning. */
const drawLine = (text: string): void => {
  process.stderr.write(`\r\u001b[K${text}`);
};

process.exitCode = await runCli({
  commands: allCommands,
  parameters: process.argv.slice(2),
  environment: process.env,
  terminal: {
    print: (text) => console.log(text),
    printError: (text) => console.error(text),
    // Undefined where standard output is not a terminal.
    width: process.stdout.columns,
    drawLine: process.stderr.isTTY ? drawLine : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? createAsk(process.stdin, process.stderr) : undefined,
  },
});
