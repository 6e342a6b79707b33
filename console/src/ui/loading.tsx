// Holds a place while its content is loading, at about its later height, so that the page does not jump.

import { Spinner } from './spinner.tsx';

export function Loading({ label = 'Loading' }: Readonly<{ label?: string }>) {
  return (
    <div role="status" className="flex min-h-40 items-center justify-center gap-3 text-sm text-quiet">
      <Spinner />
      <span>{label}…</span>
    </div>
  );
}
