// Makes, changes and removes rules. A rule is checked before anything is locked; then the rules of an organization are
// changed one at a time, so that the limit of a hundred holds however many requests arrive together.

import type { AuditActor, AuditEntry } from '../../../canonical/audit-entry.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { FILTER_TEMPLATES } from '../../../contract/guardrails.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import { lettersIn } from '../phrases/phrase-trie.ts';
import { checkPattern } from '../regex/check-pattern.ts';
import type { PatternPool } from '../regex/pattern-pool.ts';
import * as store from '../store/filters.ts';
import { type FilterRule, RULES_MAX } from './rule.ts';

type RuleFields = Pick<FilterRule, 'name' | 'type' | 'pattern' | 'action' | 'appliesTo' | 'isEnabled'>;

export type RuleChanges = Readonly<{
  /** 400 for a pattern that cannot be used, and for more rules than allowed. */
  create(orgId: string, fields: RuleFields, actor: AuditActor): Promise<FilterRule>;
  /** A field that is left out stays as it is. Null when there is no such rule. */
  change(orgId: string, id: string, fields: Partial<RuleFields>, actor: AuditActor): Promise<FilterRule | null>;
  /** False when there is no such rule. */
  remove(orgId: string, id: string, actor: AuditActor): Promise<boolean>;
}>;

export type RuleChangeOptions = Readonly<{
  database: Database;
  clock: Clock;
  pool: PatternPool;
  /** Adds to the organization's log, in the transaction of the change. */
  record(queryable: Queryable, entry: AuditEntry): Promise<void>;
  announce(orgId: string): Promise<void>;
}>;

export function createRuleChanges(options: RuleChangeOptions): RuleChanges {
  const { database, clock, pool, record, announce } = options;
  const now = (): Date => new Date(clock.nowMs());
  const target = (id: string) => ({ targetType: 'content_filter', targetId: id });
  return {
    async create(orgId, fields, actor) {
      const programSize = await checkFields(pool, orgId, fields);
      const createdAt = now();
      const rule = { id: newId('flt'), orgId, ...fields, programSize, createdAt, updatedAt: createdAt };
      await database.transaction(async (transaction) => {
        await lock(transaction, orgId);
        if ((await store.countFilters(transaction, orgId)) >= RULES_MAX) throw tooMany();
        await store.insertFilter(transaction, rule);
        await record(transaction, {
          orgId,
          action: 'org.filter.create',
          actor,
          ...target(rule.id),
          after: logged(rule),
        });
      });
      await announce(orgId);
      return rule;
    },
    async change(orgId, id, fields, actor) {
      const known = await store.findFilter(database, orgId, id);
      if (known === null) return null;
      const programSize = await checkFields(pool, orgId, { ...known, ...fields });
      const changed = await database.transaction(async (transaction) => {
        await lock(transaction, orgId);
        const before = await store.findFilter(transaction, orgId, id);
        if (before === null) return null;
        // The check was made on the pattern as it was then.
        if (before.type !== known.type || before.pattern !== known.pattern) throw changedMeanwhile();
        const after = { ...before, ...fields, programSize, updatedAt: now() };
        await store.changeFilter(transaction, after);
        const states = { before: logged(before), after: logged(after) };
        await record(transaction, { orgId, action: 'org.filter.update', actor, ...target(id), ...states });
        return after;
      });
      await announce(orgId);
      return changed;
    },
    async remove(orgId, id, actor) {
      const isRemoved = await database.transaction(async (transaction) => {
        await lock(transaction, orgId);
        const before = await store.findFilter(transaction, orgId, id);
        if (before === null) return false;
        await store.deleteFilter(transaction, orgId, id);
        await record(transaction, { orgId, action: 'org.filter.delete', actor, ...target(id), before: logged(before) });
        return true;
      });
      await announce(orgId);
      return isRemoved;
    },
  };
}

async function lock(transaction: Queryable, orgId: string): Promise<void> {
  if (!(await store.lockOrganization(transaction, orgId)))
    throw new ApiError('http_404', 'There is no such organization.');
}

/** The size of the program of a regular expression; 0 for everything else. */
async function checkFields(pool: PatternPool, orgId: string, { type, pattern }: RuleFields): Promise<number> {
  if (type === 'regex') return checkPattern(pool, orgId, pattern);
  if (type === 'template' && !(FILTER_TEMPLATES as readonly string[]).includes(pattern)) {
    throw new ApiError('http_400', `pattern: must be the id of a template: ${FILTER_TEMPLATES.join(', ')}.`);
  }
  if (type === 'keyword' && !isKeyword(pattern)) {
    throw new ApiError('http_400', 'pattern: a keyword needs a letter, a digit or a symbol to look for.');
  }
  return 0;
}

/** A keyword must have something left when everything invisible is removed. */
function isKeyword(pattern: string): boolean {
  return lettersIn(pattern) > 0 || /[\p{S}\p{P}]/u.test(pattern);
}

const changedMeanwhile = (): ApiError =>
  new ApiError('http_409', 'This content filter was changed at the same time. Read it again, then change it.');

const tooMany = (): ApiError =>
  new ApiError('http_400', `An organization has at most ${RULES_MAX} content filters. Delete one first.`);

const logged = ({ name, type, pattern, action, appliesTo, isEnabled }: RuleFields): JsonObject => ({
  name,
  type,
  pattern,
  action,
  appliesTo,
  enabled: isEnabled,
});
