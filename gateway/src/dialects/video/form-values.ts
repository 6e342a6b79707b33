// Reads a form as if it were JSON. In a form every value is text and an object must be written out or flattened; a
// value that cannot be converted stays text, and is refused.

import type { JsonObject } from '../../canonical/json.ts';

const INTEGER = /^-?\d{1,15}$/;
const BRACKETED = /^([a-z][a-z_]{0,31})\[([a-z][a-z_]{0,31})\]$/;

const NUMBERS = ['duration', 'seed'];
const SWITCHES = ['generate_audio', 'watermark'];
const STRUCTURES = ['frame_images', 'input_references', 'input_video', 'input_reference', 'provider'];

export function jsonOfForm(form: JsonObject): JsonObject {
  const body: JsonObject = withInnerFields(form);
  for (const name of NUMBERS) body[name] = readNumber(body[name]);
  for (const name of SWITCHES) body[name] = readSwitch(body[name]);
  for (const name of STRUCTURES) body[name] = readStructure(body[name]);
  return body;
}

/** `input_reference[image_url]` is how clients flatten an object. */
function withInnerFields(form: JsonObject): JsonObject {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(form)) {
    const [, outer, inner] = BRACKETED.exec(name) ?? [];
    if (outer === undefined || inner === undefined) body[name] = value;
    else body[outer] = { ...(typeof body[outer] === 'object' ? body[outer] : {}), [inner]: value };
  }
  return body;
}

function readNumber(value: unknown): unknown {
  return typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
}

function readSwitch(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

function readStructure(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readStructure);
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}
