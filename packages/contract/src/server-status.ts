// The status of the servers of a store, as getServerStatus returns it.

import Type, { type Static } from 'typebox';
import { Environment, Timestamp } from './fields.ts';
import { renewalStateFields } from './renewals.ts';

/** Processes of one response: more than the servers of a store have. */
export const processesShownMax = 200;

const Process = Type.Object({
  startedAt: Timestamp,
  version: Type.String({ description: 'The version of its server.' }),
  clockDifferenceMs: Type.Integer({
    minimum: 0,
    description: 'The distance of its clock from that of the database, in ms, or less.',
  }),
});

const Database = Type.Object({
  version: Type.String({ description: 'The version of PostgreSQL.', examples: ['18.4'] }),
  isDistributed: Type.Boolean({ description: 'Whether the tables are distributed over a cluster.' }),
  bytes: Type.Integer({ minimum: 0, description: 'Its size; on a cluster, that of one node.' }),
});

const Gateway = Type.Object({
  kind: Type.Union([Type.Literal('http'), Type.Literal('simulated'), Type.Literal('none')], {
    description: 'http: that of the settings. simulated: the sandbox charges nobody. none: no charges.',
  }),
  host: Type.Optional(Type.String({ description: 'The host and the port of its URL.' })),
  clearAt: Type.Optional(
    Type.Integer({ ...Timestamp, description: 'When it last gave a running process a clear response.' }),
  ),
});

const Setting = Type.Object({
  name: Type.String({ examples: ['OPENTILL_PORT'] }),
  value: Type.Optional(
    Type.String({
      description:
        'The value in use, or what the default depends on. `set` or `not set` for a setting that may contain a secret. Absent without a value.',
    }),
  ),
});

const OperatorKey = Type.Object({
  name: Type.String(),
  role: Type.Union([Type.Literal('record'), Type.Literal('support'), Type.Literal('admin')]),
});

export const ServerStatus = Type.Object(
  {
    environment: Environment,
    version: Type.String({ description: 'The version of the server that responds.' }),
    processes: Type.Array(Process, {
      maxItems: processesShownMax,
      description:
        'The running processes of all servers of the store, that of the response first; one that has ended is listed for up to 40 seconds.',
    }),
    database: Database,
    renewals: Type.Object(renewalStateFields, { description: 'Whether the renewals of all apps wait.' }),
    paymentGateway: Gateway,
    settings: Type.Array(Setting, { description: 'The settings of the server that responds.' }),
    operatorKeys: Type.Array(OperatorKey),
  },
  { $id: 'ServerStatus', description: 'What the servers of the store run with. It contains no secret.' },
);
export type ServerStatus = Static<typeof ServerStatus>;
