import { expect, test } from 'vitest';
import { settingRows } from './setting-rows.ts';

test('BRK-03 each setting says what is its own, what it inherits, and from where', () => {
  const rows = settingRows({
    settings: { cbEnabled: false, cbMinuteUsd: null, cbHourlyUsd: 0.5 },
    resolvedSettings: { cbEnabled: false, cbMinuteUsd: 2, cbHourlyUsd: 0.5 },
    inheritedSettings: {
      cbEnabled: { value: true, from: 'org' },
      cbMinuteUsd: { value: 2, from: 'team' },
      cbHourlyUsd: { value: 20, from: 'platform' },
    },
    liveSpend: { minuteSpend: 0, hourSpend: 0 },
  });
  expect(rows).toEqual([
    { name: 'Watching', own: 'off', inherited: 'on', from: 'the organization', inForce: 'off' },
    { name: 'At most in a minute', own: null, inherited: '$2.00', from: 'the team', inForce: '$2.00' },
    { name: 'At most in an hour', own: '$0.50', inherited: '$20.00', from: 'the default', inForce: '$0.50' },
  ]);
});
