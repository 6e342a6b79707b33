// DELETE /admin/v1/users/:id/factors: for a person who has lost the second factor and the recovery codes. The operator
// must find out who they are; their sessions end, and they are told by mail.

import { sendEmpty } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { SignInParts } from '../../modules/signin/create-signin.ts';
import { secondFactorMail } from '../../modules/signin/mails.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { OperatorHandler } from '../protect.ts';
import { knownUser } from './known-user.ts';
import { type OperatorGuard, refuseOperatorsAccount } from './operators-account.ts';

type FactorServices = OperatorGuard &
  Pick<SignInParts, 'secondFactors' | 'openSessions'> &
  Readonly<{ database: Database; identity: Identity; mailer: Mailer; siteUrl(): string }>;

export const resetFactors =
  (services: FactorServices): OperatorHandler =>
  async (exchange, operator) => {
    const { database, identity, secondFactors, openSessions, mailer, siteUrl } = services;
    const user = await knownUser(exchange, identity);
    await refuseOperatorsAccount(services, operator, user.id);
    await database.transaction(async (transaction) => {
      await secondFactors.reset(transaction, user.id);
      await openSessions.endAllIn(transaction, user.id, null);
      await mailer.send(secondFactorMail(user.email, siteUrl(), 'removed'), transaction);
    });
    await openSessions.announce(user.id);
    sendEmpty(exchange, 204);
  };
