// An error in plain words with the id that support needs; nothing when there is none.

import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { ApiProblem, describeProblem, isUnpaid } from '../api/problem.ts';
import { Button } from './button.tsx';

/** What the person can only type anew; nobody asks support about a wrong password. */
const TYPED_WRONG: ReadonlySet<number> = new Set([400, 401, 404]);

type ErrorNoticeProps = Readonly<{ error: unknown; onRetry?: () => void }>;

export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  if (error === null || error === undefined) return null;
  const requestId = error instanceof ApiProblem && !TYPED_WRONG.has(error.status) ? error.requestId : null;
  // What does not exist is not there at the next try either.
  const isRepeatable = !(error instanceof ApiProblem && error.status === 404);
  return (
    <div role="alert" className="flex gap-3 rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
      <CircleAlert size={18} aria-hidden="true" className="mt-0.5 shrink-0" />
      <div className="grid min-w-0 gap-1">
        <p className="break-words">{describeProblem(error)}</p>
        {isUnpaid(error) && (
          <p>
            <Link to="/credits" search={{}} className="underline">
              Get credit
            </Link>
          </p>
        )}
        {requestId !== null && <p className="font-mono text-xs break-all">Request {requestId}</p>}
        {onRetry !== undefined && isRepeatable && (
          <div>
            <Button isSmall onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
