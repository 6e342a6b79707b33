// A difference that the audit has found, as `account usr-1: balance is $2, its entries say $1`.

type Discrepancy = Readonly<{ kind: string; id: string; words: string }>;

export function readDiscrepancy(line: string): Discrepancy {
  const [, kind = '', id = '', words = line] = /^(\w+) (.+?): (.*)$/.exec(line) ?? [];
  return { kind, id, words };
}
