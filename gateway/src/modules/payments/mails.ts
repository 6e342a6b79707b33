// What a customer is told when credit moves because its payment did.

import type { Mail } from '../../platform/mail/mailer.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';

type CorrectionLetter = Readonly<{
  to: string;
  kind: 'reclaim' | 'restore';
  amountNanoUsd: NanoUsd;
  balanceNanoUsd: NanoUsd;
  owedNanoUsd: NanoUsd;
}>;

export function correctionMail({ to, kind, amountNanoUsd, balanceNanoUsd, owedNanoUsd }: CorrectionLetter): Mail {
  const amount = `USD ${formatUsd(amountNanoUsd)}`;
  const isTaken = kind === 'reclaim';
  const what = isTaken
    ? `A payment for Tollgate credit was refunded or disputed, so ${amount} of\ncredit was taken back.`
    : `A payment for Tollgate credit has come back to us, so ${amount} of\ncredit was given back.`;
  const owed =
    owedNanoUsd > 0n
      ? [`More than that had been used. Calls are refused until the balance is\nno longer below zero.`]
      : [];
  const paragraphs = [what, ...owed, `The balance is now USD ${formatUsd(balanceNanoUsd)}.`];
  return {
    to,
    subject: isTaken ? 'Tollgate credit was taken back' : 'Tollgate credit was given back',
    text: `${paragraphs.join('\n\n')}\n`,
  };
}
