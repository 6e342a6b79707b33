// Ids of tool calls as an upstream takes them. Some servers number the calls of every answer anew, so that a longer
// conversation has an id several times, and most vendors refuse that: each call gets an id of its own, and a result the
// id of the call that it answers.

import type { Message } from '../canonical/conversation.ts';

type Entry = { readonly ids: string[]; answeredCount: number; turn: number };

/** For one conversation, whose calls and results are given in their order. */
export class DistinctIds {
  readonly #fit: (id: string) => string;
  readonly #entries = new Map<string, Entry>();
  readonly #taken = new Set<string>();
  /** By what is put before a number: the last one given. */
  readonly #numbers = new Map<string, number>();
  #turn = 0;

  /** `fit` makes an id one that the upstream takes. */
  constructor(fit: (id: string) => string) {
    this.#fit = fit;
  }

  /** The next message of the model: what it has called before is not answered any more. */
  nextTurn(): void {
    this.#turn += 1;
  }

  call(id: string): string {
    const given = this.#free(this.#fit(id));
    const entry = this.#entries.get(id);
    if (entry === undefined) this.#entries.set(id, { ids: [given], answeredCount: 0, turn: this.#turn });
    else {
      if (entry.turn !== this.#turn) entry.answeredCount = entry.ids.length;
      entry.turn = this.#turn;
      entry.ids.push(given);
    }
    return given;
  }

  result(id: string): string {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#fit(id);
    const given = entry.ids[entry.answeredCount] ?? entry.ids.at(-1) ?? id;
    entry.answeredCount += 1;
    return given;
  }

  #free(wanted: string): string {
    let number = this.#numbers.get(wanted) ?? 1;
    let free = wanted;
    while (this.#taken.has(free)) {
      number += 1;
      free = `${wanted}_${number}`;
    }
    this.#numbers.set(wanted, number);
    this.#taken.add(free);
    return free;
  }
}

const NAME_FORBIDDEN = /[^a-zA-Z0-9_-]/g;

/** The name of a call that a model made up, or of another vendor's: with letters that every vendor takes. */
export const fitCallName = (name: string, lengthMax: number): string =>
  name.replace(NAME_FORBIDDEN, '_').slice(0, lengthMax);

export function fitCallIds(messages: readonly Message[], fit: (id: string) => string): readonly Message[] {
  const ids = new DistinctIds(fit);
  return messages.map((message) => {
    if (message.role === 'tool') {
      return { ...message, parts: message.parts.map((part) => ({ ...part, callId: ids.result(part.callId) })) };
    }
    if (message.role !== 'assistant') return message;
    ids.nextTurn();
    const parts = message.parts.map((part) => (part.type === 'tool-call' ? { ...part, id: ids.call(part.id) } : part));
    return { ...message, parts };
  });
}
