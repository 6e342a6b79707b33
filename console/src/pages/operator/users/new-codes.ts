// What was typed for new codes, as the gateway takes it.

import type { NewCodesBody } from '../../../../../gateway/src/contract/codes.ts';
import { textIn } from '../../../ui/form-values.ts';
import { momentsOf } from '../../../ui/local-days.ts';

/** The day until which codes are valid is the last one on which they are. */
export function newCodesOf(form: FormData): NewCodesBody {
  const { to: expiresAt } = momentsOf({ to: textIn(form, 'expiresAt') || undefined });
  return {
    count: Number(textIn(form, 'count')),
    amountUsd: textIn(form, 'amountUsd'),
    note: textIn(form, 'note'),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
