// The first tab of an app: its record, its webhook and its renewals.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { appQuery, webhookQuery } from '../../api/app.ts';
import { renewalsQuery } from '../../api/overview.ts';
import { Fields } from '../../parts/fields.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { renewalsSummary } from '../renewals/renewals-summary.ts';

export function AppOverview() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(appQuery(packageName));
  const webhook = useQuery(webhookQuery(packageName));
  const renewals = useQuery(renewalsQuery(packageName));
  return (
    <Stack gap="lg">
      <Panel title="App" state={app}>
        {app.data !== undefined && (
          <Fields
            fields={{
              'Package name': <Id value={packageName} what="package name" wraps />,
              Name: app.data.name !== undefined && <LongText text={app.data.name} />,
              'Client id': <Id value={app.data.clientId} what="client id" wraps />,
              State: app.data.disabled ? 'disabled' : 'enabled',
              'Disabled since': app.data.disabledAt !== undefined && (
                <Instant ms={app.data.disabledAt} clock="real" />
              ),
              Created: <Instant ms={app.data.createdAt} clock="real" />,
            }}
          />
        )}
      </Panel>
      <Panel title="Webhook" state={webhook}>
        <Text size="sm">
          {webhook.data == null ? (
            'No URL is set: this app gets no events. '
          ) : (
            <>
              Events are posted to <LongText text={webhook.data.url} />.{' '}
            </>
          )}
          <PageLink {...linkTo.app(packageName, 'webhook')} inherit underline="always">
            Webhook and deliveries
          </PageLink>
        </Text>
      </Panel>
      <Panel title="Renewals" state={renewals}>
        {renewals.data !== undefined && (
          <Text size="sm">
            {renewalsSummary(renewals.data)}{' '}
            <PageLink {...linkTo.app(packageName, 'settings')} inherit underline="always">
              Pause or resume
            </PageLink>
          </Text>
        )}
      </Panel>
    </Stack>
  );
}
