// Reads the client's body, in whichever form its dialect takes. It runs after the caller is known and within the rate
// limit, so that no memory is spent on strangers.

import type { Submission } from '../canonical/submission.ts';
import type { Intake } from '../dialects/dialect.ts';
import { ApiError } from '../errors/api-error.ts';
import { readBodyAs, readDocument } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { isForm, readForm } from '../http/multipart.ts';
import type { Uploads } from '../http/uploads.ts';
import type { JsonDocument } from '../platform/json-document.ts';

/** Answers at once where the body has already arrived and is small. */
export function readSubmission(
  exchange: Exchange,
  intake: Intake,
  { accountId }: Readonly<{ accountId: string }>,
  uploads: Uploads,
): Submission | Promise<Submission> {
  if (intake.form !== null && isForm(exchange)) {
    return readForm(exchange, intake.form, () => uploads.create(accountId));
  }
  if (intake.formOnly !== null) throw new ApiError('invalid_content_type', intake.formOnly);
  return readBodyAs(exchange, accountId, (bytes) => readJsonSubmission(bytes, accountId));
}

function readJsonSubmission(bytes: Buffer, accountId: string): Submission | Promise<Submission> {
  const source = readDocument(bytes, accountId);
  return source instanceof Promise ? source.then(submissionOf) : submissionOf(source);
}

function submissionOf(source: JsonDocument): Submission {
  return { body: source.json, source, files: [], isForm: false };
}
