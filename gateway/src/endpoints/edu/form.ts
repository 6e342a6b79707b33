// What the two forms of students have in common: how they are read, and that no answer is sent before a fixed time. The
// timer starts before the work, so the delay is always the timer's, whatever the work was.

import type { EduRefusal } from '../../contract/edu.ts';
import { ApiError } from '../../errors/api-error.ts';
import { readJsonBody } from '../../http/body.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Applicant } from '../../modules/edu/codes.ts';
import type { Edu } from '../../modules/edu/create-edu.ts';
import type { ClientAddress } from '../../modules/identity/client-address.ts';
import type { Clock } from '../../platform/clock.ts';
import { sendPrivate } from '../auth/private-answer.ts';
import { refuseForeignForm, type SiteServices } from '../auth/same-site.ts';
import { sourceOf } from '../auth/visitor.ts';

export type FormServices = SiteServices &
  Readonly<{ edu: Pick<Edu, 'codes'>; clientAddress: ClientAddress; clock: Clock }>;

/** Several times as long as the work, and short for a person. */
const FLOOR_MS = 150;

export type Form = Applicant & Readonly<{ code: string | null }>;

/** Null when the body is not what the form sends; its values are not checked here. */
export async function readForm(exchange: Exchange, services: FormServices): Promise<Form | null> {
  refuseForeignForm(exchange, services);
  const body = await readJsonBody(exchange).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  });
  if (body === null) return null;
  const { key, email, code } = body;
  if (typeof key !== 'string' || key === '' || typeof email !== 'string' || email === '') return null;
  const source = sourceOf(exchange, services.clientAddress);
  return { key, email, source, code: typeof code === 'string' && code !== '' ? code : null };
}

export async function atFloor<Result>({ clock }: FormServices, work: () => Promise<Result>): Promise<Result> {
  const floor = clock.sleep(FLOOR_MS);
  const result = await work();
  await floor;
  return result;
}

export function refuse(exchange: Exchange, error: EduRefusal['error'], retryAfterSeconds = 0): void {
  const answer: EduRefusal = { error };
  const wait = retryAfterSeconds > 0 ? ['Retry-After', String(retryAfterSeconds)] : [];
  sendPrivate(exchange, error === 'invalid' ? 400 : 429, answer, wait);
}
