// Operators who are people: GET and POST /admin/v1/operators, PATCH and DELETE /admin/v1/operators/:userId, and who is
// asking, GET /admin/v1/operator. The operator token works without any of them, so the last owner may be removed.

import {
  type ActingOperatorAnswer,
  NewOperatorBody,
  type OperatorAnswer,
  OperatorChangesBody,
  type OperatorListAnswer,
} from '../../contract/operators.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { NamedOperator, Operators } from '../../modules/operators/operators.ts';
import type { SignIn } from '../../modules/signin/signin.ts';
import type { Database } from '../../platform/db/database.ts';
import { emailField } from '../auth/visitor.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';

type OperatorServices = Readonly<{
  database: Database;
  operators: Operators;
  signIn: Pick<SignIn, 'findByEmail'>;
}>;

export const readActingOperator: OperatorHandler = (exchange, operator) => {
  const answer: ActingOperatorAnswer = operator;
  sendJson(exchange, 200, answer);
};

export const listOperators =
  ({ operators }: OperatorServices): OperatorHandler =>
  async (exchange) => {
    const answer: OperatorListAnswer = { operators: (await operators.list()).map(toAnswer) };
    sendJson(exchange, 200, answer);
  };

export function appointOperator({ database, operators, signIn }: OperatorServices): OperatorHandler {
  const readBody = bodyReader(NewOperatorBody);
  return async (exchange, { userId: appointedBy }) => {
    const { email, role } = await readBody(exchange);
    const person = await signIn.findByEmail(database, emailField(email));
    if (person === null) throw new ApiError('http_404', 'email: nobody has an account with this address.');
    await operators.appoint(person.userId, role, appointedBy);
    sendJson(exchange, 201, await answerOf(operators, person.userId));
  };
}

export function changeOperator({ operators }: OperatorServices): OperatorHandler {
  const readBody = bodyReader(OperatorChangesBody, { fixed: ['userId', 'email', 'name'] });
  return async (exchange, { userId: appointedBy }) => {
    const { role } = await readBody(exchange);
    const { userId } = await answerOf(operators, exchange.params.userId ?? '');
    await operators.appoint(userId, role, appointedBy);
    sendJson(exchange, 200, await answerOf(operators, userId));
  };
}

export const dismissOperator =
  ({ operators }: OperatorServices): OperatorHandler =>
  async (exchange) => {
    if (!(await operators.dismiss(exchange.params.userId ?? ''))) throw operatorNotFound();
    sendEmpty(exchange, 204);
  };

const operatorNotFound = (): ApiError => new ApiError('http_404', 'There is no such operator.');

async function answerOf(operators: Operators, userId: string): Promise<OperatorAnswer> {
  const found = (await operators.list()).find((operator) => operator.userId === userId);
  if (found === undefined) throw operatorNotFound();
  return toAnswer(found);
}

const toAnswer = ({ isSuspended, createdAt, ...operator }: NamedOperator): OperatorAnswer => ({
  ...operator,
  suspended: isSuspended,
  createdAt: createdAt.toISOString(),
});
