// For unknown addresses.

import { Link } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';

export function NotFound() {
  return (
    <main className="grid min-h-[60vh] place-content-center justify-items-center gap-3 p-8 text-center">
      <h1 className="text-2xl font-semibold">There is nothing here</h1>
      <p className="text-quiet">The address may be old or mistyped.</p>
      <Link to="/" className={buttonClass('primary')}>
        Go to the start page
      </Link>
    </main>
  );
}
