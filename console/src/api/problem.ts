// What went wrong with a call, in words that a person can act on. The request id is kept, because support asks for it.

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;

  constructor(parts: Readonly<{ status: number; code: string; message: string; requestId: string | null }>) {
    super(parts.message);
    this.name = 'ApiProblem';
    this.status = parts.status;
    this.code = parts.code;
    this.requestId = parts.requestId;
  }
}

export const isSignedOut = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;

/** Refused for lack of money. */
export const isUnpaid = (error: unknown): boolean => error instanceof ApiProblem && error.status === 402;

/** Everything a page shows about an error that it did not expect. */
export function describeProblem(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  if (error instanceof TypeError) return 'The gateway cannot be reached. Check your connection, then try again.';
  return error instanceof Error ? error.message : 'Something went wrong.';
}
