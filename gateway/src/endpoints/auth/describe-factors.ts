// OpenAPI descriptions of the routes on second factors.

import { SessionAnswer } from '../../contract/auth.ts';
import {
  ConfirmTotpBody,
  FactorChangedAnswer,
  FactorsAnswer,
  NewPasskeyBody,
  PasskeyOptionsAnswer,
  PasswordProofBody,
  RecoveryCodesAnswer,
  SecondFactorBody,
  TotpSecretAnswer,
} from '../../contract/factors.ts';
import type { Descriptions } from '../docs/description.ts';

const tag = 'Sign-in';
const proof = { password: '$PASSWORD' };
const credential = { id: '$CREDENTIAL', rawId: '$CREDENTIAL', type: 'public-key', response: {} };

export const factorDescriptions: Descriptions = {
  'POST /api/auth/second-factor': {
    tag,
    summary: 'Show the second factor',
    notes:
      'After a sign-in that was answered with 202. Send a code of the app, a recovery code, or the answer of a passkey.',
    body: SecondFactorBody,
    answers: { 200: { json: SessionAnswer } },
    errors: ['http_401', 'http_403', 'http_429'],
    example: { body: { code: '$CODE' }, options: ['-b cookies.txt', '-c cookies.txt'] },
  },
  'POST /api/auth/second-factor/passkey': {
    tag,
    summary: 'Read what a passkey has to sign',
    notes: 'For `navigator.credentials.get`. Each challenge works once.',
    answers: { 200: { json: PasskeyOptionsAnswer } },
    errors: ['http_401', 'http_403', 'http_404', 'http_415', 'http_429'],
    example: { body: {}, options: ['-b cookies.txt'] },
  },
  'GET /api/auth/factors': {
    tag,
    summary: 'Read your second factors',
    answers: { 200: { json: FactorsAnswer } },
  },
  'POST /api/auth/factors/totp': {
    tag,
    summary: 'Begin with an authenticator app',
    notes: 'The app counts as a second factor after you confirm a code.',
    body: PasswordProofBody,
    answers: { 200: { json: TotpSecretAnswer } },
    errors: ['http_409'],
    example: { body: proof },
  },
  'POST /api/auth/factors/totp/confirm': {
    tag,
    summary: 'Confirm the authenticator app',
    notes: 'With the first second factor you get recovery codes, and your other sessions end.',
    body: ConfirmTotpBody,
    answers: { 200: { json: FactorChangedAnswer } },
    example: { body: { code: '$CODE' } },
  },
  'POST /api/auth/factors/totp/remove': {
    tag,
    summary: 'Remove the authenticator app',
    body: PasswordProofBody,
    answers: { 200: { json: FactorChangedAnswer } },
    example: { body: proof },
  },
  'POST /api/auth/factors/recovery-codes': {
    tag,
    summary: 'Make new recovery codes',
    notes: 'They replace the old ones.',
    body: PasswordProofBody,
    answers: { 200: { json: RecoveryCodesAnswer } },
    errors: ['http_409'],
    example: { body: proof },
  },
  'POST /api/auth/factors/passkeys/options': {
    tag,
    summary: 'Begin to add a passkey',
    notes: 'For `navigator.credentials.create`.',
    body: PasswordProofBody,
    answers: { 200: { json: PasskeyOptionsAnswer } },
    example: { body: proof },
  },
  'POST /api/auth/factors/passkeys': {
    tag,
    summary: 'Add a passkey',
    body: NewPasskeyBody,
    answers: { 200: { json: FactorChangedAnswer } },
    example: { body: { name: 'Laptop', passkey: credential } },
  },
  'POST /api/auth/factors/passkeys/:id/remove': {
    tag,
    summary: 'Remove a passkey',
    body: PasswordProofBody,
    answers: { 200: { json: FactorChangedAnswer } },
    example: { body: proof },
  },
};
