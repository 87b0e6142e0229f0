// The webhook of an app: its URL and secret, a test, and its deliveries.

import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { client, hasStatus } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Field } from '../../parts/change-fields.tsx';
import { Fields } from '../../parts/fields.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Id } from '../../values/id.tsx';
import { Instant } from '../../values/instant.tsx';
import { TestWebhookButton } from '../webhooks/test-webhook-button.tsx';
import { AppDeliveries } from './app-deliveries.tsx';
import { RotationButton } from './rotation-button.tsx';

export function AppWebhook() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const webhook = useQuery({
    queryKey: ['webhook', packageName],
    queryFn: ({ signal }) => client.getWebhook({ packageName }, { signal }).catch(nullIfUnset),
  });
  const shown = webhook.data ?? undefined;
  return (
    <Stack gap="lg">
      <Panel title="Webhook" state={webhook} lines={2}>
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

function nullIfUnset(error: unknown): null {
  if (!hasStatus(error, 404)) throw error;
  return null;
}

interface WebhookActionsProps {
  readonly packageName: string;
  /** undefined if there is no webhook. */
  readonly url: string | undefined;
}

function WebhookActions({ packageName, url }: WebhookActionsProps) {
  return (
    <Group gap="xs">
      <UrlButton packageName={packageName} url={url} />
      {url !== undefined && (
        <>
          <TestWebhookButton packageName={packageName} />
          <RotationButton
            operation="rotateWebhookSecret"
            what="webhook secret"
            packageName={packageName}
            effects={[
              'A new secret is created and shown once.',
              'As long as the present one stays valid, each delivery is signed with both.',
            ]}
            rotate={async (given) => {
              const rotated = await client.rotateWebhookSecret({ packageName, ...given });
              return { secret: rotated.secret, previousUntil: rotated.previousSecretUntil };
            }}
          />
          <ChangeButton
            operation="deleteWebhook"
            label="Delete"
            title="Delete the webhook"
            confirmLabel={`Delete the webhook of ${packageName}`}
            isDestructive
            effects={[
              'Waiting and queued deliveries are given up. They stay listed.',
              'Its secret is gone: a new webhook gets another one.',
              'An attempt in flight may still arrive.',
            ]}
            change={() => client.deleteWebhook({ packageName })}
          />
        </>
      )}
    </Group>
  );
}

function UrlButton({ packageName, url: present }: WebhookActionsProps) {
  const isNew = present === undefined;
  return (
    <ChangeButton
      operation="putWebhook"
      label={isNew ? 'Set a URL' : 'Change the URL'}
      variant={isNew ? 'filled' : 'default'}
      title={isNew ? 'Set the URL of the webhook' : 'Change the URL of the webhook'}
      confirmLabel={`Save the URL of ${packageName}`}
      effects={
        isNew
          ? ['The events from now on are posted to it.', 'A secret is created and shown once.']
          : ['Deliveries go to the new URL, retries too. The secret stays.']
      }
      initialValues={{ url: present ?? '' }}
      change={async ({ url = '' }, _reason, showSecret) => {
        const webhook = await client.putWebhook({ packageName, url });
        if ('secret' in webhook) showSecret({ what: 'webhook secret', value: webhook.secret });
      }}
    >
      <Field name="url" label="URL" type="url" required data-autofocus />
    </ChangeButton>
  );
}
