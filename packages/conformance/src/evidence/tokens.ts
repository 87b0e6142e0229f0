// The token of the calls, and tokens that have to be rejected.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type Answer, fieldsOf, isSuccess, responseText } from '../answer.ts';
import { found, missing, type Providers, provider } from '../evidence.ts';
import { openSandbox } from '../sandbox.ts';

/** With less time left, a new token is issued (the specification, "Limits"). */
export const renewalWindowSeconds = 600;

export const tokenProviders: Providers<
  | 'calls'
  | 'target'
  | 'tokenAnswer'
  | 'token'
  | 'caller'
  | 'rightCall'
  | 'sandbox'
  | 'twoTokens'
  | 'renewal'
  | 'expiredToken'
  | 'otherEnvironmentToken'
> = {
  calls: provider([], (_, { calls }) => found(calls)),
  target: provider([], (_, { target }) => found(target)),
  tokenAnswer: provider(['calls'], async ({ calls }) => found(await calls.requestToken())),
  token: provider(['tokenAnswer'], ({ tokenAnswer }) => {
    const token = tokenOf(tokenAnswer);
    return token === undefined ? missing(`There is no token. ${responseText(tokenAnswer)}`) : found(token);
  }),
  caller: provider(['calls', 'token'], ({ calls }) => found(calls.caller)),
  rightCall: provider(['caller'], async ({ caller }) => {
    const answer = await caller.call(getVoidedPurchases);
    if (isSuccess(answer)) return found(answer);
    return missing(`A call with valid headers was rejected. ${responseText(answer)}`);
  }),
  sandbox: provider([], async (_, { usesSandbox, calls, find }) => {
    if (!usesSandbox) return missing('Needs --sandbox.');
    const token = await find('token');
    return 'missing' in token ? token : found(openSandbox(calls));
  }),
  twoTokens: provider(['calls', 'token'], async ({ calls, token }, { usesSandbox, find }) => {
    const renewal = usesSandbox ? await find('renewal') : missing('');
    const earlier = 'found' in renewal ? renewal.found.old : token;
    const later = tokenOf('found' in renewal ? renewal.found.renewed : await calls.requestToken());
    if (later === undefined) return missing('There is no second token.');
    if (later !== earlier) return found({ earlier, later });
    return missing('The same token is issued until it ends; --sandbox can end it early.');
  }),
  renewal: provider(['calls', 'sandbox'], async ({ calls, sandbox }) => {
    const old = tokenOf(await calls.requestToken());
    if (old === undefined) return missing('There is no token that could be renewed.');
    await sandbox.shortenToken(renewalWindowSeconds - 1);
    return found({ old, renewed: await calls.requestToken() });
  }),
  expiredToken: provider([], async (_, { target, usesSandbox, calls, find }) => {
    const { expiredToken } = target.known ?? {};
    if (expiredToken !== undefined) return found(expiredToken);
    if (!usesSandbox) return missing('No expired token is known (--expired-token-file, or --sandbox).');
    const sandbox = await find('sandbox');
    if ('missing' in sandbox) return sandbox;
    // A token with much time left, so that only putToken can be what ends it.
    const ending = tokenOf(await calls.requestToken());
    if (ending === undefined) return missing('There is no token that could expire.');
    await sandbox.found.shortenToken(0);
    await calls.requestToken();
    return found(ending);
  }),
  otherEnvironmentToken: provider([], (_, { target }) => {
    const { otherEnvironmentToken } = target.known ?? {};
    if (otherEnvironmentToken !== undefined) return found(otherEnvironmentToken);
    return missing('No token of the other environment is known (--other-environment-token-file).');
  }),
};

export function tokenOf(answer: Answer): string | undefined {
  const { access_token: token } = fieldsOf(answer);
  return isSuccess(answer) && typeof token === 'string' && token !== '' ? token : undefined;
}
