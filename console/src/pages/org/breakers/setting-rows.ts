// The three settings of a breaker in words.

import type { OrgBreaker } from '../../../api/orgs/breakers.ts';
import { formatUsd } from '../../../ui/format.ts';

export type SettingRow = Readonly<{
  name: string;
  /** Null where nothing is set. */
  own: string | null;
  inherited: string;
  from: string;
  inForce: string;
}>;

const FROM: Readonly<Record<'team' | 'org' | 'platform', string>> = {
  team: 'the team',
  org: 'the organization',
  platform: 'the default',
};

const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off');

export function settingRows({ settings, resolvedSettings, inheritedSettings }: OrgBreaker): readonly SettingRow[] {
  const amount = (name: string, field: 'cbMinuteUsd' | 'cbHourlyUsd'): SettingRow => {
    const own = settings[field];
    const { value, from } = inheritedSettings[field];
    return {
      name,
      own: own === null ? null : formatUsd(own),
      inherited: formatUsd(value),
      from: FROM[from],
      inForce: formatUsd(resolvedSettings[field]),
    };
  };
  const { value, from } = inheritedSettings.cbEnabled;
  return [
    {
      name: 'Watching',
      own: settings.cbEnabled === null ? null : onOff(settings.cbEnabled),
      inherited: onOff(value),
      from: FROM[from],
      inForce: onOff(resolvedSettings.cbEnabled),
    },
    amount('At most in a minute', 'cbMinuteUsd'),
    amount('At most in an hour', 'cbHourlyUsd'),
  ];
}
