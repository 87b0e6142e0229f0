// Makes calls of a demo server, and records them as examples of their operations.

import { callOf } from '../../packages/client/src/operation-methods.ts';
import { type Api, eventsApi, operatorApi, purchaseApi } from './apis.ts';

type Values = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: the responses are only recorded
export type Json = any;

export const packageName = 'com.example.demo';

interface Demo {
  readonly urls: Readonly<Record<Api['listener'], string>>;
  readonly operatorKey: string;
  readonly clientSecret: string;
}

export type Calls = ReturnType<typeof callsOf>;

/** The calls of the demo app and of its store. All but `prepare` and `callWithoutType` are recorded. */
export function callsOf({ urls, operatorKey, clientSecret }: Demo) {
  const examples: Record<string, { parameters: Values; responses: Record<string, unknown[]> }> = {};
  const events: Record<string, unknown> = {};
  const keys = { operator: operatorKey, public: '' };
  const form = { client_id: packageName, client_secret: clientSecret, grant_type: 'client_credentials' };

  const request = (api: Api, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(urls[api.listener] + path, {
      headers: { authorization: `Bearer ${keys[api.listener]}`, 'content-type': 'application/json' },
      ...init,
    });

  async function send(api: Api, operationId: string, parameters: Values): Promise<Json> {
    const operation = api.operations.find((candidate) => candidate.operationId === operationId);
    if (operation === undefined) throw new Error(`The ${api.title} has no ${operationId}`);
    const { method, path, body } = callOf(operationId, operation, parameters, {});
    const content =
      operation.takesForm === true
        ? { body: new URLSearchParams(form), headers: {} }
        : { body: body ?? null };
    const response = await request(api, path, { method, ...content });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operationId}: ${response.status} ${text}`);
    return { status: response.status, value: text === '' ? null : JSON.parse(text) };
  }

  async function record(api: Api, operationId: string, parameters: Values = {}): Promise<Json> {
    const { status, value } = await send(api, operationId, parameters);
    const name = `${api.name}.${operationId}`;
    examples[name] ??= { parameters, responses: {} };
    const { responses } = examples[name];
    responses[status] = [...(responses[status] ?? []), trimmed(value)];
    return value;
  }

  /** Makes a call of the demo app that is no example. */
  const prepare = async (operationId: string, parameters: Values = {}): Promise<Json> =>
    (await send(operatorApi, operationId, { packageName, ...parameters })).value;

  return {
    prepare,
    operator: (operationId: string, parameters?: Values) => record(operatorApi, operationId, parameters),
    purchase: (operationId: string, parameters?: Values) => record(purchaseApi, operationId, parameters),
    async issueToken(): Promise<void> {
      const shown = { ...form, client_secret: '$CLIENT_SECRET' };
      keys.public = (await record(purchaseApi, 'getAccessToken', shown)).access_token;
    },
    /** A call that gets a hint. */
    callWithoutType: () =>
      request(purchaseApi, `/v2/purchase/details/NONE/${packageName}`, {
        headers: { authorization: `Bearer ${keys.public}` },
      }),
    async listEvents(): Promise<void> {
      await record(operatorApi, 'listEvents', { packageName, pageSize: 2 });
      await record(eventsApi, 'listEvents', { pageSize: 2 });
      for (let after = '0', hasMore = true; hasMore; ) {
        const page = await prepare('listEvents', { pageSize: 200, after });
        for (const event of page.events) events[event.type] ??= event;
        ({ cursor: after, hasMore } = page);
      }
    },
    /** Everything that was recorded, with an event of each type, and with a problem. */
    async recorded(): Promise<object> {
      const path = `/operator/v1/apps/${packageName}/purchases`;
      const rejected = await request(operatorApi, path, {
        method: 'POST',
        body: '{"productId":"","price":"4.49"}',
      });
      return { examples, events, problem: await rejected.json() };
    },
  };
}

/** Different shapes of the entries of a list that an example shows, and names of a list of names. */
const shownMax = 3;

/** Keeps the first entry of each shape, because a list of events shows more with different ones. */
function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const firstOfShapes = new Map(value.map((entry) => [shapeOf(entry), entry] as const).toReversed());
    const kept = new Set(firstOfShapes.values());
    return value
      .filter((entry) => kept.has(entry))
      .slice(0, shownMax)
      .map(trimmed);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, trimmed(field)]));
}

const shapeOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null ? Object.keys(entry).join() : entry;
