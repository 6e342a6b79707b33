// The models that the caller named, the first choice first and each once. The catalog decides whether they exist.

import { ApiError } from '../errors/api-error.ts';
import { refuseField, refuseMissing } from './refuse.ts';

const MODELS_MAX = 10;
const MODEL_NAME_LENGTH_MAX = 256;

type ModelNames = readonly [string, ...string[]];

export function parseModelNames(model: unknown, models: unknown): ModelNames {
  const hasModel = model !== undefined && model !== null;
  if (hasModel) checkName(model, 'model');
  if (models === undefined || models === null) {
    if (!hasModel) throw refuseMissing('model');
    return [model as string];
  }
  if (!Array.isArray(models)) throw refuseField('models', 'must be an array of strings');
  if (models.length > MODELS_MAX) throw refuseField('models', `may name at most ${MODELS_MAX} models`);
  for (const [index, name] of models.entries()) checkName(name, `models[${index}]`);
  const [first, ...others] = new Set<string>(hasModel ? [model, ...models] : models);
  if (first === undefined) throw refuseMissing('model');
  return [first, ...others];
}

function checkName(name: unknown, path: string): asserts name is string {
  if (typeof name !== 'string') throw refuseField(path, 'must be a string');
  if (name === '' || name.length > MODEL_NAME_LENGTH_MAX) {
    throw new ApiError('invalid_model_id', `${path} is not a model id of the form provider/name.`);
  }
}
