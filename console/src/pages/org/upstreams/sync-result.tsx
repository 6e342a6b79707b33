// Which models of a new upstream key were found at the upstream and in the catalog.

import type { ByokSync } from '../../../api/orgs/byok.ts';

const PARTS = [
  ['matched', 'Calls for these go to the upstream'],
  ['stale', 'The upstream does not list these; calls for them may fail'],
  ['unmatched', 'These are not in the catalog; nobody can call them'],
] as const satisfies readonly (readonly [keyof ByokSync, string])[];

export function SyncResult({ sync }: Readonly<{ sync: ByokSync }>) {
  const shown = PARTS.filter(([part]) => sync[part].length > 0);
  if (shown.length === 0) return <p className="text-sm text-quiet">The key is saved. No model is mapped to it yet.</p>;
  return (
    <div className="grid gap-4">
      {shown.map(([part, words]) => (
        <section key={part} className="grid gap-1">
          <h3 className="text-sm font-medium">{words}</h3>
          <ul className="grid gap-0.5">
            {sync[part].map((model) => (
              <li key={model} className="font-mono text-xs break-all">
                {model}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
