#!/usr/bin/env node
// The command line's door to the process: its words, its environment, its terminal and its exit code. The exit code is
// set and not forced, because `serve` and `sim` go on running after their command has returned.

import { createAsk } from './ask.ts';
import { allCommands } from './commands/all.ts';
import { runCli } from './run.ts';

/** Back to the beginning of the line, which is emptied first. */
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
    // Undefined where standard output is no terminal.
    width: process.stdout.columns,
    drawLine: process.stderr.isTTY ? drawLine : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? createAsk(process.stdin, process.stderr) : undefined,
  },
});
