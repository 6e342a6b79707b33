// A name that a stranger typed, as it may stand in a mail of ours: one short line, quoted by nobody, in which mail programs
// find nothing to click on. Every mail that names an organization or a person takes it from here.

const NAME_LENGTH_MAX = 80;

export function harmlessName(name: string): string {
  const line = name
    .replace(/[\p{C}\p{Z}"<>()[\]]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/@/g, ' at ')
    .replace(/[\u3002\uff0e\uff61\u2024]/g, '.')
    .replace(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, '. ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...line];
  return letters.length <= NAME_LENGTH_MAX ? line : `${letters.slice(0, NAME_LENGTH_MAX).join('')}…`;
}
