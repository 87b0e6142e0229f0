// The fetch of the runtime. With NODE_USE_ENV_PROXY, that of Node.js sends calls to this machine through a proxy, too, which
// cannot reach it.

import { isLoopback } from './base-url.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where fetch finds its dispatcher, newest version first. */
const dispatchers = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

interface EnvProxyAgent {
  readonly constructor: new (options: { readonly httpProxy: ''; readonly httpsProxy: '' }) => object;
}

/** For calls of one origin, which no proxy of the environment gets if it is on this machine. */
export function runtimeFetch(baseUrl: string): Fetch {
  const direct = isLoopback(new URL(baseUrl).hostname) ? withoutEnvProxy() : {};
  // The built-in fetch must not be called as a method of another object.
  return (url, init) => fetch(url, { ...init, ...direct });
}

function withoutEnvProxy(): RequestInit {
  const found = dispatchers.map((name) => (globalThis as Record<symbol, unknown>)[name]);
  const agent = found.find((each) => each?.constructor.name === 'EnvHttpProxyAgent') as
    | EnvProxyAgent
    | undefined;
  if (agent === undefined) return {};
  return { dispatcher: new agent.constructor({ httpProxy: '', httpsProxy: '' }) } as RequestInit;
}
