// Faults of the token endpoint, and of the Authorization and Content-Type headers of calls.

import { failed } from '../reference-server/answers.ts';
import type { Fault } from '../reference-server/reference-server.ts';
import { app } from '../reference-server/till.ts';
import { type PlantedFault, reads, readsHeader, spoils } from './fault-forms.ts';

const token = /oauth/;
const isTokenCall = ({ path }: { path: string }) => token.test(path);

/** Corrects a wrong or missing parameter of the token request. */
function fillsIn(name: string, value: string, wrong: (sent: string | null) => boolean): Fault {
  return reads((seen) => {
    const form = new URLSearchParams(seen.body);
    if (!isTokenCall(seen) || !wrong(form.get(name))) return undefined;
    form.set(name, value);
    return { body: form.toString() };
  });
}

const isMissing = (sent: string | null) => sent === null;
const isOther = (value: string) => (sent: string | null) => sent !== null && sent !== value;

export const tokenFaults: readonly PlantedFault[] = [
  {
    name: 'a token is issued with the status 201',
    finds: ['token-01'],
    fault: (seen, answer) => ({ ...answer(seen), ...(isTokenCall(seen) && { status: 201 }) }),
  },
  {
    name: 'a token response has the Content-Type text/html',
    finds: ['token-02'],
    fault: (seen, answer) =>
      isTokenCall(seen) ? { ...answer(seen), headers: { 'content-type': 'text/html' } } : answer(seen),
  },
  {
    name: 'expires_in is a string',
    finds: ['token-03'],
    fault: spoils(token, (body) => ({ ...body, expires_in: String(body.expires_in) })),
  },
  {
    name: 'client_id is not that of the request',
    finds: ['token-04'],
    fault: spoils(token, (body) => ({ ...body, client_id: 'server' })),
  },
  {
    name: 'token_type is another scheme',
    finds: ['token-05'],
    fault: spoils(token, (body) => ({ ...body, token_type: 'MAC' })),
  },
  {
    name: 'the token that is issued is not taken',
    finds: ['token-06'],
    fault: spoils(token, (body) => ({ ...body, access_token: body.access_token.toUpperCase() })),
  },
  {
    name: 'a token is reissued until it ends',
    finds: ['token-07', 'token-17'],
    fault: spoils(token, (body) => ({ ...body, expires_in: 300 })),
  },
  {
    name: 'a charset in the Content-Type of a token request is rejected',
    finds: ['token-08'],
    fault: (seen, answer) =>
      isTokenCall(seen) && seen.headers['content-type']?.includes('charset') ? failed(400) : answer(seen),
  },
  {
    name: 'a token request may have any Content-Type',
    finds: ['token-09'],
    fault: reads((seen) => {
      if (!isTokenCall(seen)) return undefined;
      return { headers: { ...seen.headers, 'content-type': 'application/x-www-form-urlencoded' } };
    }),
  },
  {
    name: 'client_id may be missing',
    finds: ['token-10'],
    fault: fillsIn('client_id', app.clientId, isMissing),
  },
  {
    name: 'client_secret may be missing',
    finds: ['token-11'],
    fault: fillsIn('client_secret', app.clientSecret, isMissing),
  },
  {
    name: 'grant_type may be missing',
    finds: ['token-12'],
    fault: fillsIn('grant_type', 'client_credentials', isMissing),
  },
  {
    name: 'any grant_type is accepted',
    finds: ['token-13', 'error-01'],
    fault: fillsIn('grant_type', 'client_credentials', isOther('client_credentials')),
  },
  {
    name: 'any client_secret is accepted',
    finds: ['token-14'],
    fault: fillsIn('client_secret', app.clientSecret, isOther(app.clientSecret)),
  },
  {
    name: 'any client_id is accepted',
    finds: ['token-15'],
    fault: fillsIn('client_id', app.clientId, isOther(app.clientId)),
  },
  {
    name: 'a new token invalidates the previous one',
    finds: ['token-16'],
    fault: (seen, answer, till) => {
      const isOld = seen.headers['authorization'] !== `Bearer ${till.newestToken}`;
      return isOld && !isTokenCall(seen) ? failed(401) : answer(seen);
    },
  },
];

export const headerFaults: readonly PlantedFault[] = [
  {
    name: 'a token without Bearer is accepted',
    finds: ['authorization-01'],
    fault: readsHeader((header) => (header.includes(' ') ? header : `Bearer ${header}`)),
  },
  {
    name: 'a token never expires',
    finds: ['authorization-10'],
    fault: readsHeader((header, till) =>
      till.isKnown(/^Bearer (.+)/.exec(header)?.[1] ?? '') ? `Bearer ${till.newestToken}` : header,
    ),
  },
  {
    name: 'tokens of the other environment are accepted',
    finds: ['authorization-11'],
    fault: readsHeader((header, till) => header.replace(till.seeded.otherEnvironmentToken, till.newestToken)),
  },
  {
    name: 'a call needs no token',
    finds: ['12', '13', '14', '15', '16', '17', '18'].map((place) => `authorization-${place}`),
    fault: readsHeader((header, { newestToken }) => (header === '' ? `Bearer ${newestToken}` : header)),
  },
  {
    name: 'a call needs no Content-Type',
    finds: ['content-type-01'],
    fault: reads(({ headers }) => ({ headers: { 'content-type': 'application/json', ...headers } })),
  },
  {
    name: 'a call may have any Content-Type',
    finds: ['content-type-02'],
    fault: reads((seen) => {
      const { 'content-type': sent } = seen.headers;
      if (isTokenCall(seen) || sent === undefined) return undefined;
      return { headers: { ...seen.headers, 'content-type': 'application/json' } };
    }),
  },
];
