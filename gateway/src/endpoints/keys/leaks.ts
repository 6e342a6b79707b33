// Keys that were seen in public: POST /v1/keys/leaked for anybody, POST /api/leaks/github for the scanner that the
// operator trusts, POST /admin/v1/keys/leaked for the operator. A stranger learns nothing by reporting, neither whether
// a key exists nor whose it is; a report needs the whole secret, with which they could do more.

import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { AuditActor } from '../../canonical/audit-entry.ts';
import {
  type LeakedKeyList,
  type LeakReportAnswer,
  LeakReportBody,
  type ScannerAnswer,
  ScannerReportBody,
} from '../../contract/leaks.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readBody } from '../../http/body.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Leaks } from '../../modules/identity/leaks.ts';
import type { ScannerSignature } from '../../modules/identity/scanner-signature.ts';
import type { Key } from '../../modules/identity/store/keys.ts';
import { OPERATOR } from '../../modules/orgs/change.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { bodyReader } from '../read-body.ts';
import { keyChangeRecorder } from './key-audit.ts';

type LeakServices = Readonly<{
  leaks: Leaks;
  /** Null where no scanner is trusted. */
  scannerSignature: ScannerSignature | null;
  audit: Pick<Audit, 'record'>;
  logger: Logger;
}>;

const SOMEBODY: AuditActor = { userId: null, keyId: null, kind: 'system' };

export function reportLeak({ leaks, audit }: LeakServices): Handler {
  const readReport = bodyReader(LeakReportBody);
  return async (exchange) => {
    const { text, place = null } = await readReport(exchange);
    await leaks.report([{ text, place }], keyChangeRecorder(audit, SOMEBODY));
    const answer: LeakReportAnswer = { received: true };
    sendJson(exchange, 202, answer);
  };
}

export function reportLeakAsOperator({ leaks, audit }: LeakServices): Handler {
  const readReport = bodyReader(LeakReportBody);
  return async (exchange) => {
    const { text, place = null } = await readReport(exchange);
    const keys = await leaks.report([{ text, place }], keyChangeRecorder(audit, OPERATOR));
    const answer: LeakedKeyList = { keys: keys.map(leakedKey) };
    sendJson(exchange, 200, answer);
  };
}

const leakedKey = (key: Key): LeakedKeyList['keys'][number] => ({
  id: key.id,
  name: key.name,
  accountId: key.accountId,
  userId: key.userId,
  enabled: key.isEnabled,
  leakedAt: key.leakedAt?.toISOString() ?? null,
  leakPlace: key.leakPlace,
});

/** The signature covers bytes. Nothing outside them is read. */
export function receiveScannerReport(services: LeakServices): Handler {
  const { leaks, scannerSignature, audit } = services;
  const validator = TypeCompiler.Compile(ScannerReportBody);
  return async (exchange) => {
    if (scannerSignature === null) throw new ApiError('http_404', 'No scanner of public code is trusted here.');
    const body = await readBody(exchange);
    await requireGenuine(exchange, body, services, scannerSignature);
    const report = parsed(body);
    if (!validator.Check(report)) throw new ApiError('http_400', 'The body must be a list of tokens with their types.');
    const sightings = report.map(({ token, url }) => ({ text: token, place: url === '' ? null : (url ?? null) }));
    await leaks.report(sightings, keyChangeRecorder(audit, SOMEBODY));
    const answer: ScannerAnswer = report.map(({ token, type }) => ({
      token_raw: token,
      token_type: type,
      label: leaks.isOurs(token) ? 'true_positive' : 'false_positive',
    }));
    sendJson(exchange, 200, answer);
  };
}

async function requireGenuine(
  { request: { headers } }: Exchange,
  body: Buffer,
  { logger }: LeakServices,
  scannerSignature: ScannerSignature,
): Promise<void> {
  const keyId = headers['github-public-key-identifier'];
  const signature = headers['github-public-key-signature'];
  const refused = new ApiError('http_401', 'The signature of this report is not that of the scanner.');
  if (typeof keyId !== 'string' || typeof signature !== 'string') throw refused;
  try {
    if (await scannerSignature.isGenuine(body, { keyId, signature })) return;
  } catch (error) {
    logger.warn({ error: asError(error) }, 'a report of leaked keys cannot be verified');
    throw new ApiError('http_503', 'The keys of the scanner cannot be read at the moment. Send it again later.');
  }
  throw refused;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
