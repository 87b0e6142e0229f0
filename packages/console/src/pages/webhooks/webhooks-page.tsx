// The webhooks of all apps, worst first.

import { Box, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { ResultOf } from '../../api/client.ts';
import { noFields } from '../../filters/page-filters.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { useChosenApp } from '../../parts/preferences.ts';
import { DeliveryState, lastResponseOf, State } from '../../parts/states.tsx';
import { AppName } from '../../values/app-name.tsx';
import { LongText } from '../../values/long-text.tsx';
import { countText, durationText } from '../../values/quantity-text.ts';

type Webhook = ResultOf<'listWebhooks'>['webhooks'][number];

export function WebhooksPage() {
  const search = useSearch({ from: '/frame/webhooks' });
  return (
    <Stack gap="lg">
      <PageHeading
        title="Webhooks"
        note="Failing ones first, then by deliveries that were given up, then by waiting ones."
      />
      <PageList
        label="Webhooks"
        fields={noFields}
        search={search}
        rows="webhooks"
        load={(client, page, options) => client.listWebhooks(page, options)}
        keyOf={({ packageName }) => packageName}
        columns={[
          { title: 'App', cell: (app) => <AppName app={app} tab="webhook" /> },
          { title: 'Receiver', cell: ({ origin }) => <Receiver origin={origin} /> },
          { title: 'Given up', align: 'right', cell: ({ dead }) => countText(dead) },
          { title: 'Waiting', align: 'right', cell: ({ waiting }) => countText(waiting) },
          { title: 'Queued', align: 'right', cell: ({ held }) => countText(held) },
          {
            title: 'Oldest waiting',
            align: 'right',
            cell: ({ oldest }) => oldest && durationText(oldest.waitedMs),
          },
          { title: 'Latest attempt', cell: (webhook) => <Latest webhook={webhook} /> },
        ]}
        empty={<NoWebhook />}
        fileName="webhooks"
      />
    </Stack>
  );
}

/** Leads to the form that sets one. */
function NoWebhook() {
  const [packageName] = useChosenApp();
  const target = packageName === undefined ? ({ to: '/apps' } as const) : linkTo.app(packageName, 'webhook');
  return (
    <>
      <Empty text="No app has a webhook: set its URL in the tab Webhook of the app." />
      <PageLink {...target} size="sm" underline="always">
        {packageName === undefined ? 'Choose an app' : <LongText text={`Set a URL for ${packageName}`} />}
      </PageLink>
    </>
  );
}

/** As wide as an address with a port. */
function Receiver({ origin }: { readonly origin: string }) {
  return (
    <Box miw={170}>
      <LongText text={origin} />
    </Box>
  );
}

function Latest({ webhook: { packageName, failing, last } }: { readonly webhook: Webhook }) {
  if (last === undefined) return 'none';
  const attempts = last.attempt === undefined ? [] : [last.attempt];
  return (
    <PageLink {...linkTo.delivery(packageName, last.id)} inherit>
      {failing ? <State tone="bad">failing</State> : <DeliveryState state={last.state} />}{' '}
      {lastResponseOf({ attempts })}
    </PageLink>
  );
}
