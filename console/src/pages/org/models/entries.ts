// What may be in a list of allowed models: each model of the catalog, and each provider as a whole.

export function entriesToChoose(modelIds: readonly string[]): readonly string[] {
  const providers = new Set(modelIds.filter((id) => id.includes('/')).map((id) => `${id.split('/')[0] ?? ''}/*`));
  return [...[...providers].sort(), ...modelIds];
}
