// The models that `auto` and `auto:free` choose from, by kind of task.

import { AUTO_TABLES, AUTO_TIERS, type AutoTierView, type ConfigDocument } from '../../contract/config.ts';
import { type Command, operand, UsageError } from '../command.ts';
import { formatTable } from '../table.ts';

const COLUMNS = ['table', 'tier', 'enabled', 'models'];

/** A tier that the config does not name is off. */
const tiersOf = ({ auto }: ConfigDocument): AutoTierView[] =>
  AUTO_TABLES.flatMap((table) =>
    AUTO_TIERS.map((tier) => {
      const entry = auto?.[table]?.[tier];
      const enabled = entry === undefined ? false : (entry.enabled ?? true);
      return { table, tier, enabled, models: entry?.models ?? [] };
    }),
  );

const tierTable = (tiers: readonly AutoTierView[]): string =>
  formatTable(
    COLUMNS,
    tiers.map((view) => ({ ...view, models: view.models.length === 0 ? null : view.models.join(', ') })),
  );

export const autoRouterCommands: readonly Command[] = [
  {
    words: ['auto', 'show'],
    operands: [],
    options: {},
    summary: 'Show which models auto and auto:free choose from, by kind of task.',
    example: 'auto show',
    async run(input) {
      const tiers = tiersOf((await input.operator().call('GET', '/admin/v1/config')) as ConfigDocument);
      return { json: tiers, text: tierTable(tiers) };
    },
  },
  {
    words: ['auto', 'set'],
    operands: ['TABLE', 'TIER'],
    operandChoices: { TABLE: AUTO_TABLES, TIER: AUTO_TIERS },
    options: {
      enabled: { value: 'yes|no', summary: 'Whether this kind of task is served.', choices: ['yes', 'no'] },
      models: { value: 'MODELS', summary: 'Up to six, with commas between them, the best first.' },
    },
    summary: 'Change what is chosen from for one kind of task; it counts from the next call on.',
    example: 'auto set paid coding --models vendor/large,vendor/small',
    async run(input) {
      const { enabled, models } = input.options;
      if (enabled === undefined && models === undefined) throw new UsageError('Say --enabled, --models or both.');
      const changes = {
        enabled: enabled === undefined ? undefined : enabled === 'yes',
        models: models?.split(',').map((model) => model.trim()),
      };
      const path = `/admin/v1/auto-router/${operand(input, 'TABLE')}/${operand(input, 'TIER')}`;
      const view = (await input.operator().call('PATCH', path, changes)) as AutoTierView;
      return { json: view, text: tierTable([view]) };
    },
  },
];
