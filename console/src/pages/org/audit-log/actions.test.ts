import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ACTION_GROUPS, actionText } from './actions.ts';

const GATEWAY = fileURLToPath(new URL('../../../../../gateway/src/', import.meta.url));

/** The actions that the gateway writes to the log, as far as it spells them out. Events of transcriptions begin alike. */
function writtenActions(): readonly string[] {
  const files = readdirSync(GATEWAY, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(GATEWAY, name), 'utf8'));
  const written = texts.flatMap((text) => [
    ...text.matchAll(/'((?:org|team|org_member|edu|transcript(?!\.text\.))(?:\.[a-z_]+)+)'/g),
  ]);
  return [...new Set(written.map(([, action = '']) => action))].toSorted();
}

const offered = ACTION_GROUPS.flatMap(([, actions]) => actions);

test('every action that is written to the log is said in words and can be looked for', () => {
  expect(writtenActions().length).toBeGreaterThan(30);
  expect(writtenActions().filter((action) => actionText(action) === action || !offered.includes(action))).toEqual([]);
});

test('each action is offered once', () => {
  expect(offered.filter((action, place) => offered.indexOf(action) !== place)).toEqual([]);
});
