// The credentials of an app: the client secret, which is rotated here, and its access tokens.

import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery, client } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { secondMs } from '../../runtime/durations.ts';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { RotationButton } from './rotation-button.tsx';

export function AppCredentials() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(callQuery('getApp', { packageName }));
  const [expelledAt, setExpelledAt] = useState<number>();
  return (
    <Stack gap="lg">
      <Panel title="Client secret" state={app}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            The backend of the app gets access tokens with the client id and the client secret. The server
            stores only a hash of the secret, so that it cannot be shown again.
          </Text>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              Client id
            </Text>
            <Id value={app.data?.clientId ?? ''} what="client id" wraps />
          </Group>
          <RotationButton
            operation="rotateClientSecret"
            what="client secret"
            packageName={packageName}
            effects={[
              'A new secret is created and shown once.',
              'Tokens that were issued with the present secret stay valid.',
            ]}
            rotate={async (given) => {
              const { clientSecret } = await client.rotateClientSecret({ packageName, ...given });
              const { keepPreviousForSeconds: seconds } = given;
              const previousUntil = seconds === 0 ? undefined : serverNow() + seconds * secondMs;
              return { secret: clientSecret, previousUntil };
            }}
          />
        </Stack>
      </Panel>
      <Panel title="Access tokens" state={app}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            Expel them if one has leaked: every token that was issued so far becomes invalid, and the backend
            gets a new one with its secret.
          </Text>
          {expelledAt !== undefined && (
            <Alert color="good" role="status">
              All tokens up to <Instant ms={expelledAt} clock="real" /> are invalid.
            </Alert>
          )}
          <ChangeButton
            operation="expelTokens"
            label="Expel all tokens"
            title="Expel all access tokens"
            confirmLabel={`Expel the tokens of ${packageName}`}
            isDestructive
            asks="reason"
            effects={[
              'Every access token that was issued so far is rejected from now on.',
              'The backend of the app can get a new token at once. The client secret stays valid.',
            ]}
            change={(_values, reason) => client.expelTokens({ packageName, ...reason })}
            onDone={() => setExpelledAt(serverNow())}
          />
        </Stack>
      </Panel>
    </Stack>
  );
}
