// POST /embeddings. A vector follows from its text and has unit length, so that equal texts have equal vectors and
// tests of similarity work.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { countTokens } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { vectorOf } from '../../content/vector.ts';
import { isObject, type JsonObject, numberAt, objectsIn, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const DEFAULT_DIMENSIONS = 1536;
const DIMENSIONS_MAX = 16_384;
const IMAGE_TOKENS = 100;

type Input = Readonly<{ key: string; tokens: number }>;

function readInput(item: unknown): Input | undefined {
  if (typeof item === 'string' && item !== '') return { key: item, tokens: countTokens(item) };
  const { content } = isObject(item) ? item : {};
  if (Array.isArray(content) && content.length > 0) return ofParts(content);
  const isTokenIds = Array.isArray(item) && item.length > 0 && item.every((id) => Number.isInteger(id));
  return isTokenIds ? { key: item.join(' '), tokens: item.length } : undefined;
}

/** As multimodal upstreams take them; an image counts a fixed number of tokens. */
function ofParts(parts: readonly unknown[]): Input {
  const texts = objectsIn(parts).map((part) => stringAt(part, 'text') ?? JSON.stringify(part.image_url));
  const images = objectsIn(parts).filter(({ type }) => type === 'image_url').length;
  return { key: texts.join('\n'), tokens: countTokens(texts.join('')) + images * IMAGE_TOKENS };
}

function readInputs(input: unknown): readonly Input[] | undefined {
  const items = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input];
  const inputs = items.map(readInput).filter((item) => item !== undefined);
  return inputs.length === items.length && items.length > 0 ? inputs : undefined;
}

function encodeVector(vector: Float32Array, format: string): unknown {
  if (format !== 'base64') return Array.from(vector);
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((figure, index) => {
    bytes.writeFloatLE(figure, index * 4);
  });
  return bytes.toString('base64');
}

function findMistake(body: JsonObject, inputs: readonly Input[] | undefined): string | undefined {
  if (stringAt(body, 'model') === undefined) return 'you must provide a model parameter';
  if (inputs === undefined) return "'$.input' is invalid. Please check the API reference.";
  const dimensions = numberAt(body, 'dimensions') ?? DEFAULT_DIMENSIONS;
  const isValid = Number.isInteger(dimensions) && dimensions > 0 && dimensions <= DIMENSIONS_MAX;
  return isValid ? undefined : "Invalid 'dimensions'.";
}

function answerEmbeddings({ body, commands }: Call): Answer {
  const inputs = readInputs(body.input) ?? [];
  const mistake = findMistake(body, inputs.length === 0 ? undefined : inputs);
  if (mistake !== undefined) return openaiProtocol.error(400, mistake);
  const dimensions = numberAt(body, 'dimensions') ?? DEFAULT_DIMENSIONS;
  const format = stringAt(body, 'encoding_format') ?? 'float';
  const counted = commands.promptTokens ?? inputs.reduce((sum, input) => sum + input.tokens, 0);
  const promptTokens = commands.usage === 'zero-input' ? 0 : counted;
  return jsonAnswer(200, {
    object: 'list',
    data: inputs.map((input, index) => ({
      object: 'embedding',
      index,
      embedding: encodeVector(vectorOf(input.key, dimensions), format),
    })),
    model: stringAt(body, 'model'),
    usage: bendUsage({ prompt_tokens: promptTokens, total_tokens: promptTokens }, commands.usage),
  });
}

export const embeddingsOperation: Operation = {
  method: 'POST',
  path: '/embeddings',
  protocol: openaiProtocol,
  answer: answerEmbeddings,
};
