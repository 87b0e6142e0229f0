// The handlers of the developer API: those of the operator API, for the app of the access token alone, without what a developer
// must not see.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { fieldKindOf } from '@opentill/contract/field-kinds.ts';
import { type JsonSchema, jsonSchema } from '@opentill/contract/parameters.ts';
import { publicAuthor } from '../domain/author.ts';
import type { Environment } from '../domain/identifiers.ts';
import type { OperatorCall, OperatorHandler, OperatorResponse } from './operator-handler.ts';
import { Refusal } from './refusal.ts';

export interface DeveloperHandler {
  readonly operation: DeveloperOperation;
  handle(call: OperatorCall): Promise<OperatorResponse>;
  /** Only where the operation has `csvEntries`. */
  readonly readEntries?: NonNullable<OperatorHandler['readEntries']>;
}

/** The part that a store opens to its developers: nothing, reads, or everything. */
export type DeveloperAccess = 'off' | 'read' | 'full';

export function developerHandlers(
  handlers: readonly OperatorHandler[],
  { environment, access }: { readonly environment: Environment; readonly access: DeveloperAccess },
): DeveloperHandler[] {
  const byId = new Map(handlers.map((handler) => [handler.operation.operationId, handler]));
  return developerOperations[environment].flatMap((operation) => {
    const handler = byId.get(operation.operationId);
    const isOpen = access === 'full' || (access === 'read' && operation.method === 'GET');
    return handler !== undefined && isOpen ? [developerHandler(operation, handler)] : [];
  });
}

function developerHandler(operation: DeveloperOperation, handler: OperatorHandler): DeveloperHandler {
  const scoped = handler.operation.acrossApps === true ? ofOwnApp : (call: OperatorCall) => call;
  const { readEntries } = handler;
  return {
    operation,
    ...(operation.csvEntries && readEntries && { readEntries }),
    async handle(call) {
      const response = await handler.handle(scoped(call));
      if (response instanceof Refusal) return response;
      const schema = operation.responses[response.status];
      return { status: response.status, body: schema && shownValue(jsonSchema(schema), response.body) };
    },
  };
}

/** An operation across apps takes the package name from its query. */
function ofOwnApp(call: OperatorCall): OperatorCall {
  return { ...call, query: { ...call.query, packageName: call.path['packageName'] } };
}

/** The fields that the schema has, also where a serializer would write a value without one. */
export function shownValue(schema: JsonSchema, value: unknown): unknown {
  const { type, items = {}, properties } = schema;
  if (fieldKindOf(schema) === 'author') return publicAuthor(String(value));
  if (type === 'array') return (value as unknown[]).map((entry) => shownValue(items, entry));
  if (properties === undefined) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const shown = Object.entries(properties)
    .filter(([name]) => fields[name] !== undefined)
    .map(([name, field]) => [name, shownValue(field, fields[name])]);
  return Object.fromEntries(shown);
}
