// The wire forms of guards: our own, which docs/guardrails.md describes, and those of services with their own. Each
// makes a body from texts and a verdict from an answer; an answer that cannot be read is no verdict.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { MARK } from '../filters/redact.ts';
import { CLEAR, type GuardForm, type GuardStage, type GuardText, type GuardVerdict } from './guard.ts';

export type Asked = Readonly<{ stage: GuardStage; texts: readonly GuardText[]; model: string }>;

type Form = Readonly<{
  body(asked: Asked): JsonObject;
  /** Null when it cannot be read. */
  read(answer: unknown, asked: Asked): GuardVerdict | null;
}>;

/** Put between texts where a service takes one text, so that no word forms where two texts meet. */
const SEPARATOR = '\n\n';
const SCORE_MIN = 0.5;
const REASON_LENGTH_MAX = 200;

const reasonOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, REASON_LENGTH_MAX) : null;

const webhook: Form = {
  body: ({ stage, texts, model }) => ({ stage, model, texts: texts.map(({ origin, text }) => ({ origin, text })) }),
  read(answer, { texts: asked }) {
    if (!isJsonObject(answer)) return null;
    const { action, reason, texts } = answer;
    if (action === 'allow') return CLEAR;
    if (action === 'block') return { isHit: true, reason: reasonOf(reason), texts: null };
    if (action !== 'redact' || !Array.isArray(texts) || texts.length !== asked.length) return null;
    if (!texts.every((text) => typeof text === 'string')) return null;
    return { isHit: true, reason: reasonOf(reason), texts: texts as readonly string[] };
  },
};

type Entity = Readonly<{ start: number; end: number; name: string }>;

const presidio: Form = {
  body: ({ texts }) => ({
    text: texts.map(({ text }) => text).join(SEPARATOR),
    language: 'en',
    score_threshold: SCORE_MIN,
  }),
  read(answer, { texts }) {
    if (!Array.isArray(answer)) return null;
    const found: Entity[] = [];
    for (const entry of answer) {
      if (!isJsonObject(entry)) return null;
      const { start, end, entity_type: name, score } = entry;
      if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null;
      if (typeof score === 'number' && score < SCORE_MIN) continue;
      found.push({ start: Number(start), end: Number(end), name: String(name) });
    }
    if (found.length === 0) return CLEAR;
    const names = [...new Set(found.map(({ name }) => name))].join(', ');
    return {
      isHit: true,
      reason: reasonOf(names),
      texts: cutOut(
        texts.map(({ text }) => text),
        found,
      ),
    };
  },
};

/** Cuts out what was found; places count over all texts together. */
function cutOut(texts: readonly string[], found: readonly Entity[]): readonly string[] {
  let base = 0;
  return texts.map((text) => {
    const own = found
      .map(({ start, end }) => ({ start: Math.max(0, start - base), end: Math.min(text.length, end - base) }))
      .filter(({ start, end }) => start < end)
      .toSorted((left, right) => left.start - right.start);
    base += text.length + SEPARATOR.length;
    let output = '';
    let offset = 0;
    for (const { start, end } of own) {
      if (start >= offset) output += text.slice(offset, start) + MARK;
      offset = Math.max(offset, end);
    }
    return output + text.slice(offset);
  });
}

const ROLES: Readonly<Record<string, string>> = { instructions: 'system', assistant: 'assistant', tool: 'tool' };

const lakera: Form = {
  body: ({ texts }) => ({
    messages: texts.map(({ origin, text }) => ({ role: ROLES[origin] ?? 'user', content: text })),
  }),
  read: (answer) =>
    !isJsonObject(answer) || typeof answer.flagged !== 'boolean'
      ? null
      : { isHit: answer.flagged, reason: answer.flagged ? 'flagged' : null, texts: null },
};

const moderations: Form = {
  body: ({ texts }) => ({ input: texts.map(({ text }) => text) }),
  read(answer) {
    const results = isJsonObject(answer) ? answer.results : null;
    if (!Array.isArray(results) || !results.every(isJsonObject)) return null;
    const flagged = results.filter((result) => result.flagged === true);
    if (flagged.length === 0) return CLEAR;
    const categories = flagged.flatMap(({ categories: names }) =>
      isJsonObject(names) ? Object.keys(names).filter((name) => names[name] === true) : [],
    );
    return { isHit: true, reason: reasonOf([...new Set(categories)].join(', ')), texts: null };
  },
};

export const forms: Readonly<Record<GuardForm, Form>> = { webhook, presidio, lakera, moderations };
