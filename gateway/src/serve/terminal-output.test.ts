// What a person at a terminal sees of the log.

import { beforeEach, describe, expect, test } from 'vitest';
import { terminalOutput } from './terminal-output.ts';

let written = '';
const write = (text: string): void => {
  written += text;
};
const open = (settings: Partial<Parameters<typeof terminalOutput>[0]> = {}) =>
  terminalOutput({ level: 'info', hasColors: false, draws: true, ...settings }, write);

beforeEach(() => {
  written = '';
});

describe('a log for people', () => {
  test('is one line for each event, with its fields', () => {
    const { logger } = open();
    logger.debug({}, 'not heard');
    logger.warn({ route: 'openai/gpt-4o', waitMs: 1500, why: 'two words' }, 'a route is not asked');
    expect(written).toMatch(
      /^\d\d:\d\d:\d\d warn {2}a route is not asked route=openai\/gpt-4o waitMs=1500 why="two words"\n$/,
    );
  });

  test('says an error with its cause in the same line, and nothing that a terminal would obey', () => {
    const { logger } = open();
    const cause = Object.assign(new Error('connect\nrefused\u001b[2J'), { code: 'ECONNREFUSED' });
    logger.error({ error: new TypeError('no answer', { cause }) }, 'it failed');
    expect(written).toMatch(
      /^\S+ error it failed \(TypeError: no answer, because of Error: connect refused \[2J \[ECONNREFUSED\]\)\n$/,
    );
  });

  test('draws the migrations of a first start in one place and counts them afterwards', () => {
    const { logger, print, draw } = open();
    draw('Starting the database');
    for (const migration of ['0001-a.sql', '0002-b.sql']) logger.info({ migration }, 'migration applied');
    print('Serving');
    expect(written.split('\r\u001b[K')).toEqual([
      '',
      'Starting the database',
      'Preparing the database: 0001-a.sql',
      'Preparing the database: 0002-b.sql',
      expect.stringMatching(/^\S+ info {2}2 migrations applied\nServing\n$/),
    ]);
  });

  test('draws nothing where several processes share the terminal', () => {
    const { logger, print, draw } = open({ draws: false });
    draw('Starting the database');
    logger.info({ migration: '0001-a.sql' }, 'migration applied');
    print('Serving');
    expect(written).toMatch(/^\S+ info {2}one migration applied\nServing\n$/);
  });
});
