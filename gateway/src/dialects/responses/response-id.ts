// A response's id is the generation's id with this dialect's prefix, so that one can be found from the other. Items get
// ids of their own, each with the prefix of its kind: a provider of this format refuses any other.

export function responseIdOf(generationId: string): string {
  return `resp_${generationId}`;
}

export type ItemPrefix = 'msg' | 'rs' | 'fc' | 'ctc' | 'ig' | 'item';

export function itemIdOf(prefix: ItemPrefix, generationId: string, outputIndex: number): string {
  return `${prefix}_${generationId.replace('-', '_')}_${outputIndex}`;
}
