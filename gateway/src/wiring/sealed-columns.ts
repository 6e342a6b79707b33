// Everything in the database that is sealed with a key of the root secret.

import { sealedColumns as files } from '../modules/batches/files.ts';
import { sealedColumns as lines } from '../modules/batches/sealing.ts';
import { sealedColumns as ownUpstreams } from '../modules/byok/sealed-key.ts';
import { sealedColumns as configSecrets } from '../modules/catalog/document-secrets.ts';
import { sealedColumns as feeds } from '../modules/feeds/feeds.ts';
import { sealedColumns as evidence } from '../modules/guardrails/moderation/evidence.ts';
import { sealedColumns as guards } from '../modules/guardrails/others/guards.ts';
import { sealedColumns as mails } from '../modules/mail/mail-queue.ts';
import { sealedColumns as noticeAddresses } from '../modules/notices/addresses.ts';
import { sealedColumns as repeats } from '../modules/repeats/repeats.ts';
import { sealedColumns as secondFactors } from '../modules/signin/factors/second-factors.ts';
import { sealedColumns as signOn } from '../modules/signin/sign-on/sign-on.ts';
import { sealedColumns as transcripts } from '../modules/transcripts/transcripts.ts';
import type { SealedColumn } from '../platform/sealed-column.ts';

export const sealedColumns: readonly SealedColumn[] = [
  ...configSecrets,
  ...ownUpstreams,
  ...secondFactors,
  ...signOn,
  ...noticeAddresses,
  ...guards,
  ...feeds,
  ...mails,
  ...evidence,
  ...repeats,
  ...files,
  ...lines,
  ...transcripts,
];
