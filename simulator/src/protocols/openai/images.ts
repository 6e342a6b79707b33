// POST /images/generations and /images/edits, and the pictures themselves for clients that get an address. An address
// contains the commands that make its picture, so it needs no memory, and no key.

import { type Answer, jsonAnswer } from '../../answer.ts';
import type { Commands } from '../../command-rules.ts';
import { makePicture } from '../../content/picture.ts';
import { countTokens } from '../../content/text.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { type JsonObject, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';

const IMAGES_MAX = 10;
const TOKENS_PER_IMAGE = 1_056;
const TOKENS_PER_SOURCE = 300;
const SOURCE_BYTES_MAX = 50 * 1024 * 1024;
const PRIVATE_URL = 'http://169.254.169.254/latest/meta-data/iam';

/** In JSON it is a number, in a form text. */
function countIn({ n }: JsonObject): number {
  return n === undefined || n === null ? 1 : Number(n);
}

function findMistake(body: JsonObject): string | undefined {
  if (stringAt(body, 'model') === undefined) return 'you must provide a model parameter';
  if ((stringAt(body, 'prompt') ?? '') === '') return "Missing required parameter: 'prompt'.";
  const count = countIn(body);
  return Number.isInteger(count) && count >= 1 && count <= IMAGES_MAX ? undefined : "Invalid 'n'.";
}

function usageOf({ body, files, commands }: Call, images: number): unknown {
  const prompt = countTokens(stringAt(body, 'prompt') ?? '') + files.length * TOKENS_PER_SOURCE;
  const input = commands.promptTokens ?? prompt;
  const output = commands.completionTokens ?? images * TOKENS_PER_IMAGE;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return bendUsage(usage, commands.usage);
}

/** The complete address of a picture, with its description and our host. */
function urlOf(index: number, { headers, commands }: Call, isFaulty: boolean): string {
  const fault = isFaulty ? commands.pictureFault?.kind : undefined;
  if (fault === 'private') return PRIVATE_URL;
  const wanted = [
    `picture-${index + 1}`,
    ...(commands.pictureBytes === undefined ? [] : [`image-size-${commands.pictureBytes}`]),
    ...(fault === undefined ? [] : [fault === 'missing' ? 'status-404' : `image-${fault}`]),
  ];
  return `http://${headers.host}/sim-${wanted.join('+')}/v1/images/file`;
}

function imageJson(index: number, call: Call): JsonObject {
  const { commands, body } = call;
  const isFaulty = index < (commands.pictureFault?.count ?? 0);
  if (commands.pictureForm === 'url') return { url: urlOf(index, call, isFaulty) };
  const kind = isFaulty ? commands.pictureFault?.kind : undefined;
  const fault = kind === 'missing' || kind === 'private' ? 'garbage' : kind;
  const picture = makePicture(index + 1, { size: stringAt(body, 'size'), byteLength: commands.pictureBytes, fault });
  return { b64_json: picture.bytes.toString('base64') };
}

function imagesJson(call: Call): JsonObject {
  const count = call.commands.pictures ?? countIn(call.body);
  const data = Array.from({ length: count }, (_, index) => imageJson(index, call));
  return { created: call.createdAtSeconds, data, usage: usageOf(call, count) };
}

function answerGeneration(call: Call): Answer {
  const mistake = findMistake(call.body);
  return mistake === undefined ? jsonAnswer(200, imagesJson(call)) : openaiProtocol.error(400, mistake);
}

function answerEdit(call: Call): Answer {
  const mistake = findMistake(call.body);
  if (mistake !== undefined) return openaiProtocol.error(400, mistake);
  const sources = call.files.filter(({ name }) => name === 'image' || name === 'image[]');
  if (sources.length === 0) return openaiProtocol.error(400, "Missing required parameter: 'image'.");
  const isOdd = sources.some(({ bytes, contentType }) => {
    return bytes.length > SOURCE_BYTES_MAX || !contentType.startsWith('image/');
  });
  return isOdd ? openaiProtocol.error(400, 'Invalid image file or mode.') : jsonAnswer(200, imagesJson(call));
}

function answerFile({ commands }: Call): Answer {
  const { contentType, bytes } = makePicture(commands.pictureNumber ?? 1, {
    byteLength: commands.pictureBytes,
    fault: fileFault(commands),
  });
  return { kind: 'whole', status: 200, headers: { 'content-type': contentType }, body: bytes };
}

function fileFault({ pictureFault }: Commands): 'html' | 'svg' | 'garbage' | 'cut' | undefined {
  const kind = pictureFault?.kind;
  return kind === 'missing' || kind === 'private' ? undefined : kind;
}

const operation = { protocol: openaiProtocol } as const;

export const imageOperations: readonly Operation[] = [
  { ...operation, method: 'POST', path: '/images/generations', answer: answerGeneration },
  { ...operation, method: 'POST', path: '/images/edits', takesForm: true, answer: answerEdit },
  { ...operation, method: 'GET', path: '/images/file', isPublic: true, answer: answerFile },
];

/** In the form of conversations. */
export function chatImages({ commands }: Pick<Call, 'commands'>, count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => {
    const isFaulty = index < (commands.pictureFault?.count ?? 0);
    const fault = isFaulty ? (fileFault(commands) ?? 'garbage') : undefined;
    const { contentType, bytes } = makePicture(index + 1, { byteLength: commands.pictureBytes, fault });
    return { type: 'image_url', image_url: { url: `data:${contentType};base64,${bytes.toString('base64')}` }, index };
  });
}
