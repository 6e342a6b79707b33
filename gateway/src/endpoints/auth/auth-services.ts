// What the endpoints of signing in need.

import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { ClientAddress } from '../../modules/identity/client-address.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Operators } from '../../modules/operators/operators.ts';
import type { Domains } from '../../modules/orgs/domains.ts';
import type { Members } from '../../modules/orgs/members.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { SignInParts } from '../../modules/signin/create-signin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { SessionServices } from '../identify.ts';
import type { SiteServices } from './same-site.ts';

export type AuthServices = SignInParts &
  SiteServices &
  SessionServices &
  Readonly<{
    database: Database;
    identity: Pick<Identity, 'createUser' | 'findUser' | 'createKey'>;
    ledger: Pick<Ledger, 'openAccount' | 'credit'>;
    catalog: Pick<Catalog, 'current'>;
    organizations: Pick<Organizations, 'listOf'>;
    operators: Pick<Operators, 'find'>;
    members: Pick<Members, 'place'>;
    domains: Pick<Domains, 'ownerOf'>;
    mailer: Mailer;
    clientAddress: ClientAddress;
    clock: Clock;
    logger: Logger;
  }>;
