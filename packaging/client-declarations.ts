// Writes the types that packages/client/src/contract-types.ts derives from the contract as plain declarations, with the
// descriptions of the contract as comments. A test compares the two.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { Problem } from '@opentill/contract/errors.ts';
import { NewFault } from '@opentill/contract/faults.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { type JsonSchema, jsonSchema, parametersOf } from '@opentill/contract/parameters.ts';
import type { TSchema } from 'typebox';

interface Operation {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly responses?: Readonly<Record<number, TSchema>>;
}

/** The declarations of the used types, by name. */
const declared = new Map<string, string>();

/** `isTaken`: for parameters, whose optional properties may also be undefined. */
function typeOf(schema: JsonSchema, isTaken = false): string {
  const { $id } = schema;
  if ($id === undefined || isTaken) return unnamed(schema, isTaken);
  if (!declared.has($id)) {
    // Declared before the types that it uses, in the order in which a reader encounters them.
    declared.set($id, '');
    declared.set($id, `${comment(schema.description)}export type ${$id} = ${unnamed(schema, false)};\n`);
  }
  return $id;
}

function unnamed(schema: JsonSchema, isTaken: boolean): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => typeOf(part, isTaken)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${isTaken ? 'readonly ' : ''}(${typeOf(schema.items ?? {}, isTaken)})[]`;
    case 'object':
      return objectOf(schema.properties ?? {}, schema.required ?? [], isTaken);
    default:
      throw new Error(`A schema that has no type: ${JSON.stringify(schema)}`);
  }
}

function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  isTaken: boolean,
): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema, isTaken);
    const given = required.includes(name) ? `: ${type}` : `?: ${type}${isTaken ? ' | undefined' : ''}`;
    return `${comment(schema.description)}${/^\w+$/.test(name) ? name : `'${name}'`}${given};\n`;
  });
  return `{\n${lines.join('')}}`;
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;
}

function responseOf({ responses = {} }: Operation): string {
  const types = Object.entries(responses).map(([status, schema]) =>
    status === '204' ? 'undefined' : typeOf(jsonSchema(schema)),
  );
  return [...new Set(types)].join(' | ');
}

function methodOf(operation: Operation): string {
  const parameters = parametersOf(operation);
  const mark = parameters.required?.length === 0 ? '?' : '';
  const text = [operation.summary, operation.description].filter((part) => part !== undefined).join('. ');
  return `${comment(text)}${operation.operationId}: (parameters${mark}: ${typeOf(parameters, true)}, options?: CallOptions) => Promise<${responseOf(operation)}>;\n`;
}

function interfaceOf(name: string, operations: readonly Operation[]): string {
  return `export interface ${name} {\n${operations.map(methodOf).join('')}}\n`;
}

/** The client adds the package name, and instants are numbers as in responses. */
function purchaseParameters(operation: Operation): string {
  const { properties = {}, required = [] } = parametersOf(operation);
  const taken = Object.entries(properties)
    .filter(([name]) => name !== 'packageName')
    .map(([name, schema]) => [
      name,
      schema.pattern === '^[0-9]{13}$' ? { ...schema, type: 'integer' } : schema,
    ]);
  const { operationId } = operation;
  const name = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Parameters`;
  return `export type ${name} = ${typeOf({ type: 'object', properties: Object.fromEntries(taken), required }, true)};\n`;
}

export function clientDeclarations(): string {
  const operations = [
    interfaceOf('OperatorOperations', operatorOperations),
    interfaceOf('DeveloperOperations', Object.values(developerApi)),
    ...[...purchaseOperations, ...eventsOperations]
      .filter(({ operationId }) => operationId !== 'getAccessToken')
      .map(purchaseParameters),
  ];
  for (const { response } of [...purchaseOperations, ...eventsOperations]) typeOf(jsonSchema(response));
  // Types of parameters only are not exported by name.
  for (const schema of [Problem, NewFault]) typeOf(jsonSchema(schema));
  const head =
    "// Written from the schemas of the contract.\n\nimport type { CallOptions } from './call-options.js';\n";
  return [head, ...declared.values(), ...operations].join('\n');
}
