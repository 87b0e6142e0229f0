// What the servers of the store run with.

import { Title } from '@mantine/core';
import type { ServerStatus } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { serverStatusQuery } from '../../api/server.ts';
import { Fields } from '../../parts/fields.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';

export function ServerPanel() {
  const state = useQuery(serverStatusQuery);
  return (
    <Panel title="Server" state={state}>
      {state.data !== undefined && <Status status={state.data} />}
    </Panel>
  );
}

function Status({ status }: { readonly status: ServerStatus }) {
  const { version, database, paymentGateway, processes, operatorKeys, settings } = status;
  return (
    <>
      <Fields
        fields={{
          Version: `OpenTill ${version}`,
          Database: `PostgreSQL ${database.version}${database.isDistributed ? ', distributed' : ''}`,
          'Size of the database': sizeText(database.bytes),
          'Payment gateway': gatewayTexts[paymentGateway.kind],
          'Host of the gateway': paymentGateway.host,
          'Last clear response': paymentGateway.clearAt !== undefined && (
            <Instant ms={paymentGateway.clearAt} clock="real" />
          ),
        }}
      />
      <Part title="Processes">
        <Records
          label="Processes"
          rows={processes.map((process, index) => ({ ...process, key: String(index) }))}
          keyOf={({ key }) => key}
          columns={[
            { title: 'Started', clock: 'real', time: ({ startedAt }) => startedAt },
            { title: 'Version', name: 'version' },
            {
              title: 'Distance to the clock of the database',
              cell: ({ clockDifferenceMs }) => `${clockDifferenceMs} ms`,
            },
          ]}
        />
      </Part>
      <Part title="Operator keys">
        <Records
          label="Operator keys"
          rows={operatorKeys}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Name', name: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
            { title: 'Role', name: 'role' },
          ]}
        />
      </Part>
      <Part title="Settings of this server">
        <Records
          label="Settings of this server"
          rows={settings}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Setting', name: 'name', cell: ({ name }) => <LongText text={name} /> },
            { title: 'Value', cell: ({ value = 'none' }) => <LongText text={value} /> },
          ]}
        />
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Title order={3}>{title}</Title>
      {children}
    </>
  );
}

const gatewayTexts: Readonly<Record<ServerStatus['paymentGateway']['kind'], string>> = {
  http: 'charges by HTTP',
  simulated: 'simulated: nobody is charged',
  none: 'none: no subscriptions',
};

const megabyte = 1_000_000;

function sizeText(bytes: number): string {
  return `${Math.ceil(bytes / megabyte)} MB`;
}
