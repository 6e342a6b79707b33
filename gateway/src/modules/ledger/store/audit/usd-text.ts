// An amount in the words of a discrepancy, as people write it, to the last nano-dollar.

/** SQL for the text of an amount that is an expression in nano-USD. */
export const usdText = (amount: string): string => `'$' || trim_scale((${amount})::numeric / 1000000000)`;
