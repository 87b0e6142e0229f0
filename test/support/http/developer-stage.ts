// An app with everything that the developer API shows, in which buyers and operators have left what it must not show.

import {
  type DeveloperOperation,
  type developerApi,
  developerOperations,
} from '@opentill/contract/developer-api.ts';
import { createTestApp, operate, operatorOf, type TestApp, type TestServer } from '../harness.ts';
import { query } from '../query.ts';
import { insertDelivery, insertPaidAttempt } from '../stage.ts';
import type { ServerAddress } from '../start/opentill-process.ts';
import { callDeveloper } from './checked-call.ts';
import { bodies } from './sample-calls.ts';

export const productionOperations = developerOperations.production;

/** By operationId, as production has them. */
export const productionApi = Object.fromEntries(
  productionOperations.map((operation) => [operation.operationId, operation]),
) as Readonly<Record<keyof typeof developerApi, DeveloperOperation>>;

/** The name of the key that changes the app. */
const namedKey = { name: 'marked-key', key: 'marked-key-0123456789-0123456789-abcdef' };

/** The settings of a server of each environment; no charge falls due here, and nothing is delivered. */
export const sandboxEnv = { OPENTILL_OPERATOR_KEYS: `${namedKey.name}:admin:${namedKey.key}` };
export const productionEnv = {
  ...sandboxEnv,
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_DEVELOPER_API: 'full',
  OPENTILL_PAYMENT_GATEWAY_URL: 'http://127.0.0.1:1/charge',
  OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
};

const why = { note: 'marked-note', ticket: 'marked-ticket' };
const hookUrl = 'https://hooks.example/of-the-app';

export interface FullApp extends TestApp {
  /** Ids of its records by the name of the path parameter. */
  readonly ids: Readonly<Record<string, string>>;
  /** What no developer may read. */
  readonly hidden: readonly string[];
}

/** The app with a one-time purchase, a subscription, their buyers, actions with notes, and a delivery. */
export async function createFullApp(server: TestServer, packageName: string): Promise<FullApp> {
  const app = await createTestApp(server, packageName);
  const prefix = packageName.replaceAll('.', '-');
  const buyerId = `marked-buyer-of-${prefix}`;
  const hidden = [namedKey.name, why.note, why.ticket, buyerId, '127.0.0.1'];
  const change = async (method: string, path: string, body: object = {}) => {
    const sent = { body, key: namedKey.key };
    const response = await operate(server, method, `/apps/${packageName}${path}`, sent);
    if (response.status >= 300) throw new Error(`${path}: ${response.text}`);
    hidden.push(response.headers.get('x-request-id') as string);
    return response.body;
  };
  const record = (name: string, purchase: object) =>
    change('POST', '/purchases', { purchaseId: `${prefix.slice(-12)}-${name}`, buyerId, ...purchase });
  const orderId = `order-${prefix.slice(-12)}`;
  const { purchaseId } = await record('coins', { productId: 'coins', orderId });
  await change('POST', `/purchases/${purchaseId}/consumption`);
  await change('POST', `/purchases/${purchaseId}/void`, { reasonCode: 'fraud', ...why });
  const { purchaseId: firstPurchaseId } = await record('month', { productId: 'monthly' });
  const subscription = `/subscriptions/${firstPurchaseId}`;
  const { expiryTime } = await change('POST', `${subscription}/cancel`, { reasonCode: 'other', ...why });
  await change('POST', `${subscription}/extend`, { expiryTime: expiryTime + 1_000, ...why });
  await insertPaidAttempt(server, app, firstPurchaseId);
  const key = 'marked-idempotency';
  const marking = 'update renewal_attempt set idempotency_key = $2 where package_name = $1';
  await query(server.connection, marking, [packageName, key]);
  await change('PUT', '/webhook', { url: hookUrl });
  const [event] = (await operatorOf(server).listEvents({ packageName, pageSize: 1 })).events;
  const { id: eventId = '', type: eventType = '', eventTime = 0 } = event ?? {};
  await insertDelivery(server, app, { eventId, eventType, eventTime, state: 'dead' });
  const ids = {
    ...{ purchaseId, orderId, firstPurchaseId, deliveryId: eventId },
    ...{ periodIndex: '1', attempt: '1', name: 'soFar' },
  };
  return { ...app, ids, hidden: [...hidden, key] };
}

export const validBodies: typeof bodies = { ...bodies, putWebhook: { url: `${hookUrl}/moved` } };
export const validQueries: Readonly<Record<string, Record<string, string>>> = {
  getStatistics: { from: '2026-03-01', to: '2026-03-31' },
};

/** Every row of every table, except what a server writes by itself. */
export async function allRows({ connection }: TestServer): Promise<string> {
  const tables = await query(
    connection,
    `select table_name as name from information_schema.tables where table_schema = 'public'
      and table_type = 'BASE TABLE' and table_name not in ('request_log', 'clock_mark') order by 1`,
  );
  const rows = [];
  for (const { name } of tables)
    rows.push([name, await query(connection, `select * from ${name} t order by t::text`)]);
  return JSON.stringify(rows);
}

/** A valid call by the developer of an app. */
export const callOn = (
  on: ServerAddress,
  { operationId, ...operation }: DeveloperOperation,
  app: TestApp & Partial<FullApp>,
  secret?: string,
) =>
  callDeveloper(
    on,
    { operationId, ...operation },
    {
      ...{ key: app.token, path: app.ids ?? {}, body: validBodies[operationId], secret },
    },
  );
