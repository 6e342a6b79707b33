// A response's id is the generation's id in this dialect's dress, so that one can always be found from the other. Items
// get ids of their own, each with the prefix of its kind: a provider of this format refuses one that begins otherwise.

const PREFIX = 'resp_';

export function responseIdOf(generationId: string): string {
  return PREFIX + generationId;
}

/** The plain id, whether or not it came dressed. */
export function generationIdOf(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
}

export type ItemPrefix = 'msg' | 'rs' | 'fc' | 'ctc' | 'ig';

export function itemIdOf(prefix: ItemPrefix, generationId: string, outputIndex: number): string {
  return `${prefix}_${generationId.replace('-', '_')}_${outputIndex}`;
}
