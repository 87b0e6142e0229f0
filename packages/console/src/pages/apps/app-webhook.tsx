// The webhook of an app: its URL and secret, a test, and its deliveries.

import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { webhookQuery } from '../../api/app.ts';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Fields } from '../../parts/fields.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog.tsx';
import { TestWebhookButton } from '../webhooks/test-webhook-button.tsx';
import { AppDeliveries } from './app-deliveries.tsx';
import { RotationDialog } from './rotation-dialog.tsx';

export function AppWebhook() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const webhook = useQuery(webhookQuery(packageName));
  const shown = webhook.data ?? undefined;
  return (
    <Stack gap="lg">
      <Panel title="Webhook" state={webhook}>
        {shown === undefined ? (
          <Text size="sm">No URL is set: this app gets no events.</Text>
        ) : (
          <Fields
            fields={{
              URL: <Id value={shown.url} what="URL" wraps />,
              Created: <Instant ms={shown.createdAt} clock="real" />,
              Changed: <Instant ms={shown.updatedAt} clock="real" />,
              'Previous secret': shown.previousSecretUntil !== undefined && (
                <>
                  also signs until <Instant ms={shown.previousSecretUntil} clock="real" />
                </>
              ),
            }}
          />
        )}
        <WebhookActions packageName={packageName} url={shown?.url} />
      </Panel>
      <AppDeliveries packageName={packageName} hasWebhook={shown !== undefined} />
    </Stack>
  );
}

interface WebhookActionsProps {
  readonly packageName: string;
  /** undefined if there is no webhook. */
  readonly url: string | undefined;
}

function WebhookActions({ packageName, url }: WebhookActionsProps) {
  const queryClient = useQueryClient();
  const [isSetting, setting] = useDisclosure();
  const [isRotating, rotation] = useDisclosure();
  const [isDeleting, deletion] = useDisclosure();
  const readBack = (): void => {
    for (const key of ['webhook', 'deliveries']) {
      void queryClient.invalidateQueries({ queryKey: [key, packageName] });
    }
  };
  const hasWebhook = url !== undefined;
  return (
    <Group gap="xs">
      <ActionButton
        operation="putWebhook"
        label={hasWebhook ? 'Change the URL' : 'Set a URL'}
        variant={hasWebhook ? 'default' : 'filled'}
        onAct={setting.open}
      />
      {hasWebhook && (
        <>
          <TestWebhookButton packageName={packageName} onDone={readBack} />
          <ActionButton
            operation="rotateWebhookSecret"
            label="Rotate the secret"
            variant="default"
            onAct={rotation.open}
          />
          <ActionButton operation="deleteWebhook" label="Delete" isEnding onAct={deletion.open} />
        </>
      )}
      {isSetting && (
        <UrlDialog packageName={packageName} url={url} onDone={readBack} onClose={setting.close} />
      )}
      <SecretRotation
        packageName={packageName}
        isOpen={isRotating}
        onClose={rotation.close}
        onDone={readBack}
      />
      <ChangeDialog
        title="Delete the webhook"
        confirmLabel={`Delete the webhook of ${packageName}`}
        isDestructive
        isOpen={isDeleting}
        effects={[
          'Waiting and queued deliveries are given up. They stay listed.',
          'Its secret is gone: a new webhook gets another one.',
          'An attempt in flight may still arrive.',
        ]}
        change={() => client.deleteWebhook({ packageName })}
        onDone={() => {
          deletion.close();
          readBack();
        }}
        onClose={deletion.close}
      />
    </Group>
  );
}

interface SecretRotationProps {
  readonly packageName: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function SecretRotation({ packageName, isOpen, onClose, onDone }: SecretRotationProps) {
  return (
    <RotationDialog
      what="webhook secret"
      packageName={packageName}
      effects={[
        'A new secret is created and shown once.',
        'As long as the present one stays valid, each delivery is signed with both.',
      ]}
      isOpen={isOpen}
      rotate={async (given) => {
        const { secret, previousSecretUntil } = await client.rotateWebhookSecret({ packageName, ...given });
        const note =
          previousSecretUntil === undefined ? (
            'The previous secret no longer signs.'
          ) : (
            <>
              The previous secret also signs until <Instant ms={previousSecretUntil} clock="real" />.
            </>
          );
        return { value: secret, note };
      }}
      onClose={onClose}
      onDone={onDone}
    />
  );
}

interface UrlDialogProps extends WebhookActionsProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function UrlDialog({ packageName, url: present, onDone, onClose }: UrlDialogProps) {
  const form = useForm({ initialValues: { url: present ?? '' } });
  const url = form.values.url.trim();
  const [isChanged, setChanged] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  return (
    <>
      <ChangeDialog
        title={present === undefined ? 'Set the URL of the webhook' : 'Change the URL of the webhook'}
        confirmLabel={`Save the URL of ${packageName}`}
        isOpen={!isChanged}
        form={form}
        isBlocked={url === ''}
        effects={
          present === undefined
            ? ['The events from now on are posted to it.', 'A secret is created and shown once.']
            : ['Deliveries go to the new URL, retries too. The secret stays.']
        }
        change={async () => {
          const answer = await client.putWebhook({ packageName, url });
          const isNew = 'secret' in answer;
          if (isNew) setSecret({ what: 'webhook secret', value: answer.secret });
          return isNew;
        }}
        onDone={(isNew) => {
          onDone();
          if (isNew) setChanged(true);
          else onClose();
        }}
        onClose={onClose}
      >
        <TextInput
          name="url"
          label="URL"
          type="url"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
      </ChangeDialog>
      <SecretDialog secret={secret} onDone={onClose} />
    </>
  );
}
