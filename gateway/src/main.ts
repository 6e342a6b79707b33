// The program: configuration, start, and an orderly end. Without a config file it is a demonstration that works at
// once, with the simulator as its upstream and an account to call it with.

import { startApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { prepareDemo } from './demo.ts';

const DRAIN_DEADLINE_MS = 60_000;

async function run(): Promise<void> {
  const config = readConfig();
  const demo = config.configFile === null ? await prepareDemo(config) : null;
  const app = await startApp(config, { variables: demo?.variables ?? {} });
  const lines = [`Tollgate is serving on ${app.url}`, `  console    ${app.siteUrl}/`];
  if (app.newAdminToken !== null) lines.push(`  operator   Authorization: Bearer ${app.newAdminToken}`);
  // The built-in catalog is the same for everybody; only an operator's own file is worth reading line by line.
  if (demo === null) for (const line of app.configDifference) lines.push(`  config     ${line}`);
  if (demo !== null) lines.push(...(await demo.introduce(app)));
  process.stdout.write(`${lines.join('\n')}\n`);
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    process.stdout.write(`${signal}: finishing what is running, then stopping.\n`);
    app
      .close(DRAIN_DEADLINE_MS)
      .then(() => demo?.close())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
}

function fail(error: unknown): never {
  const text =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

run().catch(fail);
