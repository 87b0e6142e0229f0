// The credentials of an app: the client secret, which is rotated here, and its access tokens.

import { Alert, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { appQuery } from '../../api/app.ts';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { RotationDialog } from './rotation-dialog.tsx';

export function AppCredentials() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(appQuery(packageName));
  const [isRotating, rotation] = useDisclosure();
  const [isExpelling, expulsion] = useDisclosure();
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
          <ActionButton
            operation="rotateClientSecret"
            label="Rotate the client secret"
            variant="default"
            onAct={rotation.open}
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
          <ActionButton operation="expelTokens" label="Expel all tokens" isEnding onAct={expulsion.open} />
        </Stack>
      </Panel>
      <RotationDialog
        what="client secret"
        packageName={packageName}
        effects={[
          'A new secret is created and shown once.',
          'Tokens that were issued with the present secret stay valid.',
        ]}
        isOpen={isRotating}
        rotate={async (given) => {
          const { clientSecret } = await client.rotateClientSecret({ packageName, ...given });
          const endsAt = serverNow() + given.keepPreviousForSeconds * 1000;
          return { value: clientSecret, note: <PreviousEnd given={given} endsAt={endsAt} /> };
        }}
        onClose={rotation.close}
        onDone={() => undefined}
      />
      <ChangeDialog
        title="Expel all access tokens"
        confirmLabel={`Expel the tokens of ${packageName}`}
        isDestructive
        isOpen={isExpelling}
        asks="reason"
        effects={[
          'Every access token that was issued so far is rejected from now on.',
          'The backend of the app can get a new token at once. The client secret stays valid.',
        ]}
        change={(reason) => client.expelTokens({ packageName, ...reason })}
        onDone={() => {
          setExpelledAt(serverNow());
          expulsion.close();
        }}
        onClose={expulsion.close}
      />
    </Stack>
  );
}

interface PreviousEndProps {
  readonly given: { readonly keepPreviousForSeconds: number };
  readonly endsAt: number;
}

function PreviousEnd({ given, endsAt }: PreviousEndProps) {
  if (given.keepPreviousForSeconds === 0) return 'The previous secret is no longer valid.';
  return (
    <>
      The previous secret is valid until <Instant ms={endsAt} clock="real" />.
    </>
  );
}
