// The lines of a batch, answered like ordinary calls: commands in a model's name apply to its lines as well.

import type { WholeAnswer } from '../answer.ts';
import { commandTextIn, parseCommands } from '../commands.ts';
import { type JsonObject, stringAt } from '../json.ts';
import type { Call, Operation } from '../operation.ts';
import { replaceAnswer } from '../wire/replace-answer.ts';

const SEQUENCE_LENGTH = 12;
let counter = 0;

export function answerLine(operation: Operation, body: JsonObject, call: Call): WholeAnswer {
  counter += 1;
  const sequence = `b${counter.toString(36).padStart(SEQUENCE_LENGTH - 1, '0')}`;
  const commands = parseCommands(commandTextIn(stringAt(body, 'model') ?? '') ?? '');
  const told: Call = { ...call, sequence, body, files: [], params: {}, commands };
  const answer = replaceAnswer(() => operation.answer(told), commands, operation.protocol);
  if (answer.kind === 'whole') return answer;
  return operation.protocol.error(400, 'Streams are not for batches (simulated).');
}

/** A batch takes real time: it runs for a moment. */
export const BATCH_RUN_MS = 400;
