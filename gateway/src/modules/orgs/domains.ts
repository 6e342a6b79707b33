// The domains of an organization. Anybody can claim one; it counts once it is confirmed by a TXT record, which only the
// owner of the domain can publish. A confirmed domain belongs to one organization.

import { randomBytes } from 'node:crypto';
import type { AuditActor } from '../../canonical/audit-entry.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { changeUnderLock, type OrgChangeOptions } from './change.ts';
import * as store from './store/domains.ts';

const DOMAINS_MAX = 20;
const TOKEN_BYTES = 16;
const RECORD_NAME = '_tollgate';

export type Domain = store.DomainRow & Readonly<{ recordName: string; recordValue: string }>;

export type Domains = Readonly<{
  list(orgId: string): Promise<readonly Domain[]>;
  /** Answers the domain with the record that confirms it. 409 when there are too many. */
  claim(orgId: string, domain: string, actor: AuditActor): Promise<Domain>;
  /**
   * Looks for the record. 404 for a domain that was not claimed, 409 while the record is missing or the domain belongs
   * to another organization.
   */
  check(orgId: string, domain: string, actor: AuditActor): Promise<Domain>;
  /** False when the domain was not claimed. */
  drop(orgId: string, domain: string, actor: AuditActor): Promise<boolean>;
  /** The organization that has confirmed the domain of an address; null where none has. */
  ownerOf(domain: string): Promise<string | null>;
}>;

export type DomainsOptions = OrgChangeOptions &
  Readonly<{
    clock: Clock;
    /** The TXT records of a name, each in its parts. Throws where there are none. */
    resolveTxt(name: string): Promise<readonly (readonly string[])[]>;
  }>;

export function createDomains(options: DomainsOptions): Domains {
  const { database, clock, record, resolveTxt } = options;
  const known = async (orgId: string, domain: string): Promise<Domain> => {
    const row = (await store.listDomains(database, orgId)).find((it) => it.domain === domain);
    if (row === undefined) throw new ApiError('http_404', 'There is no such domain.');
    return withRecord(row);
  };
  const targetOf = (domain: string) => ({ targetType: 'domain', targetId: domain });
  return {
    list: async (orgId) => (await store.listDomains(database, orgId)).map(withRecord),
    async claim(orgId, domain, actor) {
      await changeUnderLock(options, orgId, async (transaction) => {
        const token = randomBytes(TOKEN_BYTES).toString('base64url');
        const row = { orgId, domain, token, createdAt: new Date(clock.nowMs()) };
        const outcome = await store.insertDomain(transaction, row, DOMAINS_MAX);
        if (outcome === 'full')
          throw new ApiError('http_409', `There can be ${DOMAINS_MAX} domains at most. Remove one first.`);
        if (outcome === 'new')
          await record(transaction, { orgId, action: 'org.domain.claim', actor, ...targetOf(domain) });
      });
      return known(orgId, domain);
    },
    async check(orgId, domain, actor) {
      const { recordName, recordValue, confirmedAt } = await known(orgId, domain);
      if (confirmedAt === null) {
        if (!(await hasRecord(resolveTxt, recordName, recordValue))) {
          throw new ApiError(
            'http_409',
            `There is no TXT record ${recordName} with the value ${recordValue} yet. It may take a while to be seen.`,
          );
        }
        await changeUnderLock(options, orgId, async (transaction) => {
          if (!(await store.confirmDomain(transaction, orgId, domain, new Date(clock.nowMs())))) {
            throw new ApiError('http_409', 'Another organization has confirmed this domain. Ask the operator.');
          }
          await record(transaction, { orgId, action: 'org.domain.confirm', actor, ...targetOf(domain) });
        });
      }
      return known(orgId, domain);
    },
    drop: (orgId, domain, actor) =>
      changeUnderLock(options, orgId, async (transaction) => {
        const isFound = await store.deleteDomain(transaction, orgId, domain);
        if (isFound) await record(transaction, { orgId, action: 'org.domain.remove', actor, ...targetOf(domain) });
        return isFound;
      }),
    ownerOf: (domain) => store.findOwner(database, domain),
  };
}

const withRecord = (row: store.DomainRow): Domain => ({
  ...row,
  recordName: `${RECORD_NAME}.${row.domain}`,
  recordValue: `tollgate-domain=${row.token}`,
});

/** A name that cannot be resolved now has no record now. */
async function hasRecord(resolveTxt: DomainsOptions['resolveTxt'], name: string, value: string): Promise<boolean> {
  try {
    return (await resolveTxt(name)).some((parts) => parts.join('').trim() === value);
  } catch {
    return false;
  }
}
