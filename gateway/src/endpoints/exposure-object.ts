// What a user has left unpaid, as answers show it.

import type { OwnExposure } from '../contract/exposure.ts';
import type { ExposureView } from '../modules/limits/exposure.ts';
import { usdNumber } from '../platform/money.ts';

export const exposureObject = (view: ExposureView): OwnExposure => ({
  accountId: view.accountId,
  restricted: view.restriction !== null,
  restrictedUntil: isoTime(view.restriction?.untilMs),
  restrictedReason: view.restriction?.reason ?? null,
  restrictions: view.restrictions,
  unpaidUsd: usdNumber(view.unpaidNanoUsd),
  inFlightUsd: usdNumber(view.inFlightNanoUsd),
  allowanceUsd: usdNumber(view.allowanceNanoUsd),
});

const isoTime = (timeMs: number | null | undefined): string | null =>
  typeof timeMs === 'number' ? new Date(timeMs).toISOString() : null;
