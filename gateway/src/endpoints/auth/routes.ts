// The routes of signing up, signing in and second factors.

import type { RouteRow } from '../../http/exchange.ts';
import type { Protect } from '../protect.ts';
import { beginConnect, exchangeCode, grantApplication } from './applications.ts';
import type { AuthServices } from './auth-services.ts';
import {
  beginPasskey,
  beginTotp,
  confirmTotp,
  finishPasskey,
  readFactors,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
} from './factors.ts';
import { logIn } from './login.ts';
import { beginOAuth, finishOAuth, listProviders } from './oauth.ts';
import { changePassword, forgotPassword, resetPassword } from './passwords.ts';
import { changeProfile } from './profile.ts';
import { finishSecondStep, readPasskeyChallenge } from './second-step.ts';
import { endSession, listSessions, logOut, logOutEverywhere, readSession } from './session.ts';
import { signUp, verifyEmail } from './signup.ts';
import { beginSignOn, finishSignOn } from './sso.ts';

/** A form with a password is small. */
const bodyBytesMax = 16_384;

// biome-ignore format: a table reads best with one row a line.
export function authRoutes(services: AuthServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'POST', path: '/api/auth/signup', access: 'public', bodyBytesMax, handle: signUp(services) },
    { method: 'POST', path: '/api/auth/verify-email', access: 'public', bodyBytesMax, handle: verifyEmail(services) },
    { method: 'POST', path: '/api/auth/login', access: 'public', bodyBytesMax, handle: logIn(services) },
    { method: 'POST', path: '/api/auth/forgot-password', access: 'public', bodyBytesMax, handle: forgotPassword(services) },
    { method: 'POST', path: '/api/auth/reset-password', access: 'public', bodyBytesMax, handle: resetPassword(services) },
    { method: 'POST', path: '/api/auth/second-factor', access: 'public', bodyBytesMax, handle: finishSecondStep(services) },
    { method: 'POST', path: '/api/auth/second-factor/passkey', access: 'public', bodyBytesMax, handle: readPasskeyChallenge(services) },
    { method: 'GET', path: '/api/auth/providers', access: 'public', handle: listProviders(services) },
    { method: 'GET', path: '/api/auth/oauth/:provider', access: 'public', handle: beginOAuth(services) },
    { method: 'GET', path: '/api/auth/oauth/:provider/callback', access: 'public', handle: finishOAuth(services) },
    { method: 'GET', path: '/api/auth/sso', access: 'public', handle: beginSignOn(services) },
    { method: 'GET', path: '/api/auth/sso/callback', access: 'public', handle: finishSignOn(services) },
    { method: 'GET', path: '/api/auth/sso/callback/:orgId', access: 'public', handle: finishSignOn(services) },
    { method: 'GET', path: '/auth', access: 'public', handle: beginConnect(services) },
    { method: 'POST', path: '/v1/auth/keys', access: 'public', bodyBytesMax, handle: exchangeCode(services) },
    { method: 'POST', path: '/api/account/applications', access: 'session', bodyBytesMax, handle: principal(grantApplication(services)) },
    { method: 'POST', path: '/api/auth/logout', access: 'session', bodyBytesMax, handle: principal(logOut(services)) },
    { method: 'POST', path: '/api/auth/logout-all', access: 'session', bodyBytesMax, handle: principal(logOutEverywhere(services)) },
    { method: 'POST', path: '/api/auth/change-password', access: 'session', bodyBytesMax, handle: principal(changePassword(services)) },
    { method: 'GET', path: '/api/auth/factors', access: 'session', handle: principal(readFactors(services)) },
    { method: 'POST', path: '/api/auth/factors/totp', access: 'session', bodyBytesMax, handle: principal(beginTotp(services)) },
    { method: 'POST', path: '/api/auth/factors/totp/confirm', access: 'session', bodyBytesMax, handle: principal(confirmTotp(services)) },
    { method: 'POST', path: '/api/auth/factors/totp/remove', access: 'session', bodyBytesMax, handle: principal(removeTotp(services)) },
    { method: 'POST', path: '/api/auth/factors/recovery-codes', access: 'session', bodyBytesMax, handle: principal(renewRecoveryCodes(services)) },
    { method: 'POST', path: '/api/auth/factors/passkeys/options', access: 'session', bodyBytesMax, handle: principal(beginPasskey(services)) },
    { method: 'POST', path: '/api/auth/factors/passkeys', access: 'session', bodyBytesMax, handle: principal(finishPasskey(services)) },
    { method: 'POST', path: '/api/auth/factors/passkeys/:id/remove', access: 'session', bodyBytesMax, handle: principal(removePasskey(services)) },
    { method: 'PATCH', path: '/api/auth/profile', access: 'session', bodyBytesMax, handle: principal(changeProfile(services)) },
    { method: 'GET', path: '/api/auth/session', access: 'session', handle: principal(readSession(services)) },
    { method: 'GET', path: '/api/auth/sessions', access: 'session', handle: principal(listSessions(services)) },
    { method: 'DELETE', path: '/api/auth/sessions/:id', access: 'session', handle: principal(endSession(services)) },
  ];
}
