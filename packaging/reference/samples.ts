// The calls of the examples as code: with the client, and with curl.

import { callOf } from '../../packages/client/src/operation-methods.ts';
import { type Api, type ApiName, type Operation, purchaseApi } from './apis.ts';
import { secretOptions } from './client-secret.ts';

type Values = Readonly<Record<string, unknown>>;

const purchaseClient = `import { PurchaseClient } from '@opentill/client';

const client = new PurchaseClient({ host, clientId, clientSecret, packageName });
`;

const clients: Readonly<Record<ApiName, string>> = {
  purchase: purchaseClient,
  events: purchaseClient,
  developer: `import { DeveloperClient } from '@opentill/client/developer';

const client = new DeveloperClient({ host, clientId, clientSecret });
`,
  operator: `import { OperatorClient } from '@opentill/client/operator';

const client = new OperatorClient({ host, operatorKey });
`,
};

/** The client of an app has its package name. */
export function clientSample(api: Api, operation: Operation, parameters: Values): string {
  const { operationId, takesForm, responses } = operation;
  const { packageName: _, ...others } = parameters;
  const given = takesForm === true ? {} : api === purchaseApi ? others : parameters;
  const text = Object.keys(given).length === 0 ? '' : literal(given);
  const isVoid = Object.values(responses).every(({ type }) => type === 'null');
  return `${clients[api.name]}${isVoid ? '' : 'const result = '}await client.${operationId}(${text});\n`;
}

/** A value as TypeScript. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
  const line = `{ ${fields.join(', ')} }`;
  return line.length < 72 ? line : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`;
}

/** The default addresses. */
export const urls = { public: 'http://127.0.0.1:8080', operator: 'http://127.0.0.1:8081' };
const keys = { public: '$TOKEN', operator: '$OPERATOR_KEY' };

export function curlSample(api: Api, operation: Operation, parameters: Values): string {
  const { signsIn, takesForm, operationId } = operation;
  const { method, path, body } = callOf(operationId, operation, parameters, {});
  const isJson = takesForm !== true && (api.alwaysTyped === true || body !== undefined);
  const form = Object.entries(parameters).map(([name, value]) => `-d "${name}=${value}"`);
  const options = [
    ...(signsIn === true ? [] : [`-H "Authorization: Bearer ${keys[api.listener]}"`]),
    ...secretOptions(api, operation),
    ...(isJson ? ["-H 'Content-Type: application/json'"] : []),
    ...(takesForm === true ? form : body === undefined ? [] : [`-d '${body.replaceAll("'", "'\\''")}'`]),
  ];
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return [`curl -s ${verb}'${urls[api.listener]}${path}'`, ...options].join(' \\\n  ');
}
