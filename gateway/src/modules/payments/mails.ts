// The mails to a customer when credit changes because a payment did.

import { harmlessName, type Mail } from '../../platform/mail/mailer.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';

type CorrectionLetter = Readonly<{
  to: string;
  kind: 'reclaim' | 'restore';
  amountNanoUsd: NanoUsd;
  balanceNanoUsd: NanoUsd;
  owedNanoUsd: NanoUsd;
  /** Automatic top-ups have stopped with it. */
  hasStopped: boolean;
}>;

const NOTHING_BOUGHT = 'Nothing more is bought automatically until you switch it on again on the\npage of credits.';

export function correctionMail(letter: CorrectionLetter): Mail {
  const { to, kind, amountNanoUsd, balanceNanoUsd, owedNanoUsd, hasStopped } = letter;
  const amount = `USD ${formatUsd(amountNanoUsd)}`;
  const isTaken = kind === 'reclaim';
  const what = isTaken
    ? `A payment for Tollgate credit was refunded or disputed, so ${amount} of\ncredit was taken back.`
    : `A payment for Tollgate credit has come back to us, so ${amount} of\ncredit was given back.`;
  const owed =
    owedNanoUsd > 0n
      ? [`More than that had been used. Calls are refused until the balance is\nno longer below zero.`]
      : [];
  const stopped = hasStopped ? [NOTHING_BOUGHT] : [];
  const paragraphs = [what, ...owed, `The balance is now USD ${formatUsd(balanceNanoUsd)}.`, ...stopped];
  return {
    to,
    subject: isTaken ? 'Tollgate credit was taken back' : 'Tollgate credit was given back',
    text: `${paragraphs.join('\n\n')}\n`,
  };
}

type StoppedLetter = Readonly<{ to: string; amountNanoUsd: NanoUsd; reason: string }>;

/** The reason may be a bank's text, and must not become a link. */
export function stoppedMail({ to, amountNanoUsd, reason }: StoppedLetter): Mail {
  const paragraphs = [
    `An automatic top-up of USD ${formatUsd(amountNanoUsd)} was not paid: ${harmlessName(reason)}.`,
    NOTHING_BOUGHT,
  ];
  return { to, subject: 'Automatic top-ups of Tollgate have stopped', text: `${paragraphs.join('\n\n')}\n` };
}
