// An upstream key's settings as the form has them and as the gateway takes them. Each mapping is a line:
// `provider/model = name at the upstream`; without the second part both names are the same.

import type { ByokChanges, ByokKey, ByokWish } from '../../../api/orgs/byok.ts';
import { textIn } from '../../../ui/form-values.ts';

export type Mapping = ByokKey['modelMappings'][number];

export const mappingText = (mappings: readonly Mapping[]): string =>
  mappings.map(({ model, upstreamModel }) => `${model} = ${upstreamModel}`).join('\n');

export function parseMappings(text: string, before: readonly Mapping[]): Mapping[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [model = '', ...rest] = line.split('=').map((part) => part.trim());
      const upstreamModel = rest.join('=') || model.split('/').slice(1).join('/') || model;
      // A model that was switched off stays off.
      return { model, upstreamModel, enabled: before.find((mapping) => mapping.model === model)?.enabled ?? true };
    });
}

const protocolOf = (form: FormData): ByokKey['protocol'] => textIn(form, 'protocol');
const modeOf = (form: FormData): ByokKey['fallbackMode'] =>
  form.get('fallbackMode') === 'strict' ? 'strict' : 'seamless';

const scopeIn = (form: FormData): string[] => form.getAll('scopedApiKeyIds').map(String);

type Before = Pick<ByokKey, 'modelMappings' | 'scopedApiKeyIds'>;

export function changesOf(form: FormData, { modelMappings, scopedApiKeyIds: before }: Before): ByokChanges {
  const scopedApiKeyIds = scopeIn(form);
  const isSameScope = scopedApiKeyIds.length === before.length && before.every((id) => scopedApiKeyIds.includes(id));
  return {
    name: textIn(form, 'name'),
    baseUrl: textIn(form, 'baseUrl'),
    protocol: protocolOf(form),
    fallbackMode: modeOf(form),
    // What was not touched is not sent, because the gateway takes no revoked key.
    ...(isSameScope ? {} : { scopedApiKeyIds }),
    modelMappings: parseMappings(textIn(form, 'modelMappings'), modelMappings),
  };
}

export const wishOf = (form: FormData): ByokWish => ({
  name: textIn(form, 'name'),
  baseUrl: textIn(form, 'baseUrl'),
  apiKey: textIn(form, 'apiKey'),
  protocol: protocolOf(form),
  fallbackMode: modeOf(form),
  scopedApiKeyIds: scopeIn(form),
  modelMappings: parseMappings(textIn(form, 'modelMappings'), []),
});
