// The events of a streamed response in the order of the real API: every item is added, filled and done in turn, between
// the events with the whole response.

import type { Frame, FrameKind } from '../../answer.ts';
import { splitWords } from '../../content/text.ts';
import { type JsonObject, objectsIn, stringAt } from '../../json.ts';
import { finalStatus, finishedResponse, outputText, type ResponseReply, startedResponse } from './responses-reply.ts';

type Event = Readonly<{ kind: FrameKind; type: string; members: JsonObject }>;

type Place = Readonly<{ item_id: unknown; output_index: number }>;

const structure = (type: string, members: JsonObject): Event => ({ kind: 'structure', type, members });

function messageEvents(item: JsonObject, place: Place, pieces: readonly string[]): readonly Event[] {
  const [block = outputText('')] = objectsIn(item.content);
  const inside = { ...place, content_index: 0 };
  const deltas = pieces.map((delta): Event => {
    const members = { ...inside, delta, logprobs: [], obfuscation: 'x'.repeat(16 - (delta.length % 16)) };
    return { kind: 'content', type: 'response.output_text.delta', members };
  });
  return [
    structure('response.content_part.added', { ...inside, part: outputText('') }),
    ...deltas,
    structure('response.output_text.done', { ...inside, text: block.text, logprobs: [] }),
    structure('response.content_part.done', { ...inside, part: block }),
  ];
}

function callEvents(item: JsonObject, place: Place): readonly Event[] {
  const text = stringAt(item, 'arguments') ?? '';
  const deltas = splitWords(text).map((delta): Event => {
    return { kind: 'content', type: 'response.function_call_arguments.delta', members: { ...place, delta } };
  });
  return [...deltas, structure('response.function_call_arguments.done', { ...place, arguments: text })];
}

function reasoningEvents(item: JsonObject, place: Place): readonly Event[] {
  return objectsIn(item.summary).flatMap((part, index) => {
    const inside = { ...place, summary_index: index };
    const text = stringAt(part, 'text') ?? '';
    const deltas = splitWords(text).map((delta) =>
      structure('response.reasoning_summary_text.delta', { ...inside, delta }),
    );
    return [
      structure('response.reasoning_summary_part.added', { ...inside, part: { type: 'summary_text', text: '' } }),
      ...deltas,
      structure('response.reasoning_summary_text.done', { ...inside, text }),
      structure('response.reasoning_summary_part.done', { ...inside, part }),
    ];
  });
}

/** An item without content. */
function emptied(item: JsonObject): JsonObject {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  return { ...item, summary: [] };
}

function itemEvents(item: JsonObject, index: number, response: ResponseReply): readonly Event[] {
  const place: Place = { item_id: item.id, output_index: index };
  const filling =
    item.type === 'message'
      ? messageEvents(item, place, response.reply.pieces)
      : item.type === 'function_call'
        ? callEvents(item, place)
        : reasoningEvents(item, place);
  return [
    structure('response.output_item.added', { output_index: index, item: emptied(item) }),
    ...filling,
    structure('response.output_item.done', { output_index: index, item }),
  ];
}

export function responseFrames(response: ResponseReply): readonly Frame[] {
  const started = { response: startedResponse(response) };
  const finished = finishedResponse(response);
  const last: Event = {
    kind: 'finish-usage',
    type: `response.${finalStatus(response)}`,
    members: { response: finished },
  };
  const events: Event[] = [
    structure('response.created', started),
    structure('response.in_progress', started),
    ...objectsIn(finished.output).flatMap((item, index) => itemEvents(item, index, response)),
    last,
  ];
  if (response.commands.usage === 'twice') events.push(last);
  return events.map(({ kind, type, members }, index) => ({
    kind,
    event: type,
    data: JSON.stringify({ type, sequence_number: index, ...members }),
  }));
}
