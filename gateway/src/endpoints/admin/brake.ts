// GET and PATCH /admin/v1/brake: the emergency brake over everybody's spending. A value of 0 stops all calls.

import { type BrakeAnswer, BrakeBody } from '../../contract/breaker.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Brake, BrakeSettings } from '../../modules/ledger/brake.ts';
import { usdNumber } from '../../platform/money.ts';
import { bodyReader } from '../read-body.ts';
import { given, usdField } from '../request-fields.ts';

export const readBrakeEndpoint =
  (brake: Brake): Handler =>
  (exchange) => {
    sendJson(exchange, 200, toAnswer(brake.settings()));
  };

export function changeBrakeEndpoint(brake: Brake): Handler {
  const readBody = bodyReader(BrakeBody);
  return async (exchange) => {
    const { enabled, minuteUsd, hourUsd } = await readBody(exchange);
    const minuteNanoUsd = usdField('minuteUsd', minuteUsd);
    const hourNanoUsd = usdField('hourUsd', hourUsd);
    const settings = await brake.change(given({ isEnabled: enabled, minuteNanoUsd, hourNanoUsd }));
    sendJson(exchange, 200, toAnswer(settings));
  };
}

const toAnswer = ({ isEnabled, minuteNanoUsd, hourNanoUsd }: BrakeSettings): BrakeAnswer => ({
  enabled: isEnabled,
  minuteUsd: minuteNanoUsd === null ? null : usdNumber(minuteNanoUsd),
  hourUsd: hourNanoUsd === null ? null : usdNumber(hourNanoUsd),
});
