// A report that some copies of this protocol send beside or instead of an answer with status 200: a code other than
// zero means that there is no answer, and says why.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { describeForLog } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';

const LIMITS: ReadonlySet<unknown> = new Set([1002, 1039, 1041]);
const ACCOUNT: ReadonlySet<unknown> = new Set([1004, 1008, 2049]);
const POLICY: ReadonlySet<unknown> = new Set([1026, 1027]);

/** Null where there is no report, or a good one. */
export function failureInReport({ base_resp: report }: JsonObject): UpstreamFailure | null {
  if (!isJsonObject(report)) return null;
  const { status_code: code, status_msg: words } = report;
  if (typeof code !== 'number' || code === 0) return null;
  const detail = describeForLog(`200 with report ${code} ${typeof words === 'string' ? words : '-'}`);
  if (LIMITS.has(code)) return { kind: 'rate_limited', retryAfterSeconds: null, detail };
  if (ACCOUNT.has(code)) return { kind: 'auth_failed', detail };
  return POLICY.has(code) ? refused.byPolicy(detail) : { kind: 'unavailable', retryAfterSeconds: null, detail };
}
