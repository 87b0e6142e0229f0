// One subscription: its state and why, the picture of its life, what happened, its periods, and what can be changed.

import { Stack, Text } from '@mantine/core';
import type { Subscription } from '@opentill/client/operator';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { callQuery } from '../../api/client.ts';
import { storyKinds } from '../../filters/page-filters.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Fields } from '../../parts/fields.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel, PanelContent } from '../../parts/panel.tsx';
import { RecordLayout } from '../../parts/record-layout.tsx';
import { isInTrial, productName, RenewalPrice } from '../../parts/sold.tsx';
import { SubscriptionState } from '../../parts/states.tsx';
import { Id } from '../../values/id.tsx';
import { Instant, useInstantText } from '../../values/instant.tsx';
import { LongText } from '../../values/long-text.tsx';
import { Money, useMoneyText } from '../../values/money.tsx';
import { firstPeriodText, periodNames } from '../../values/period.ts';
import { counted } from '../../values/quantity-text.ts';
import { Story } from '../story.tsx';
import { PaidPeriods } from './paid-periods.tsx';
import { AutoPaymentButtons, ExtendButton, PriceButton } from './subscription-changes.tsx';
import { SubscriptionPicture } from './subscription-picture.tsx';
import { storyOf } from './subscription-story.tsx';

type SubscriptionKey = Pick<Subscription, 'packageName' | 'firstPurchaseId'>;

/** Periods that are loaded at once: five years. */
const loadedPeriodsMax = 60;

/** The periods up to this one; undefined: the newest ones. */
function rangeUpTo(toPeriod: number | undefined) {
  if (toPeriod === undefined) return {};
  return { fromPeriod: Math.max(0, toPeriod - loadedPeriodsMax + 1), toPeriod };
}

export function SubscriptionPage() {
  const key: SubscriptionKey = useParams({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const search = useSearch({ from: '/frame/apps/$packageName/subscriptions/$firstPurchaseId' });
  const navigate = useNavigate();
  const until = /^[1-9]\d{0,5}$/.test(search.until ?? '') ? Number(search.until) - 1 : undefined;
  const show = (changed: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: { ...search, ...changed }, replace: true });
  const subscription = useQuery({
    ...callQuery('getSubscription', { ...key, ...rangeUpTo(until), newestPeriods: loadedPeriodsMax }),
    placeholderData: keepPreviousData,
  });
  const { data } = subscription;
  return (
    <Stack gap="lg">
      <Heading of={key} subscription={data} />
      <PanelContent state={subscription} id={key.firstPurchaseId}>
        {data !== undefined && (
          <>
            <StateLine subscription={data} />
            <Panel title="Periods and charges" state={subscription}>
              <SubscriptionPicture subscription={data} onShow={(last) => show({ until: last?.toString() })} />
            </Panel>
            <RecordLayout state={subscription} facts={<SubscriptionRecord {...data} />}>
              <Story
                state={subscription}
                {...storyOf(data, search.kind)}
                kinds={storyKinds}
                kind={search.kind}
                onKind={(kind) => show({ kind })}
              />
            </RecordLayout>
            <Panel title="Periods" state={subscription}>
              <PaidPeriods subscription={data} />
            </Panel>
          </>
        )}
      </PanelContent>
    </Stack>
  );
}

interface HeadingProps {
  readonly of: SubscriptionKey;
  readonly subscription: Subscription | undefined;
}

function Heading({ of: { packageName, firstPurchaseId }, subscription }: HeadingProps) {
  const id = { value: firstPurchaseId, what: 'first purchase id' };
  const navigate = useNavigate();
  if (subscription === undefined) return <PageHeading title="Subscription" id={id} isRecord />;
  const { lastPurchaseId: purchaseId, lastPeriodIndex, voidedPeriods, expiryTime } = subscription;
  const goesOn = subscription.autoRenewing || subscription.awaitsConsent;
  const isNewestVoid = voidedPeriods.includes(lastPeriodIndex);
  return (
    <PageHeading
      title={productName(subscription)}
      shown={
        <>
          <LongText text={productName(subscription)} />,{' '}
          {isInTrial(subscription) && (
            <>
              free until <Instant ms={expiryTime} />
              {goesOn && ', then '}
            </>
          )}
          {(goesOn || !isInTrial(subscription)) && <RenewalPrice of={subscription} />}
        </>
      }
      state={<SubscriptionState subscription={subscription} />}
      id={id}
      isRecord
      actions={
        <>
          <AutoPaymentButtons subscription={subscription} />
          <ExtendButton subscription={subscription} />
          <PriceButton subscription={subscription} />
          <ActionButton
            operation="voidPurchase"
            label="Void a period"
            hotkey="v"
            obstacle={isNewestVoid ? 'The newest period is void' : undefined}
            isDestructive
            onAct={() => void navigate(linkTo.purchase({ packageName, purchaseId }))}
          />
        </>
      }
    />
  );
}

function SubscriptionRecord(subscription: Subscription) {
  const { packageName, productId, orderId, buyerId, lastPeriodIndex, developerPayload } = subscription;
  const { firstPeriod, price, currency } = subscription;
  return (
    <Fields
      isNarrow
      fields={{
        App: <Id value={packageName} what="package name" link={linkTo.app(packageName)} wraps />,
        Product: <Id value={productId} what="product id" wraps />,
        Order: orderId && <Id value={orderId} what="order id" wraps />,
        Buyer: buyerId && <Id value={buyerId} what="buyer id" link={linkTo.buyer(buyerId)} wraps />,
        Started: <Instant ms={subscription.startTime} clock="app" />,
        'First period': firstPeriod && (
          <>
            {firstPeriodText(firstPeriod)},{' '}
            {price === 0 ? 'free' : <Money price={price} currency={currency} />}
          </>
        ),
        'So far': counted(lastPeriodIndex + 1, 'period'),
        'Time zone': subscription.timeZone,
        'Developer payload': developerPayload && <bdi>{developerPayload}</bdi>,
      }}
    />
  );
}

/** What the state means, and its cause, with a link to the purchase that shows it; charges are in the story. */
function StateLine({ subscription }: { readonly subscription: Subscription }) {
  const sentence = useStateSentence(subscription);
  const terms = useTermsSentence(subscription);
  const { packageName, cause } = subscription;
  const { purchaseId, attempt } = cause;
  return (
    <Stack gap="xxs">
      <Text size="lg">{sentence}</Text>
      {terms !== undefined && <Text>{terms}</Text>}
      <Text size="sm">
        Why? <bdi>{cause.text}</bdi>{' '}
        {attempt === undefined && purchaseId !== undefined && (
          <PageLink {...linkTo.purchase({ packageName, purchaseId })} inherit underline="always">
            Open the period
          </PageLink>
        )}
      </Text>
    </Stack>
  );
}

/** The terms of the next period, if they are not those of the present one. */
function useTermsSentence(subscription: Subscription): string | undefined {
  const { state, period, firstPeriod, currency, renewalPrice, expiryTime, awaitsConsent } = subscription;
  const { periods, lastPeriodIndex } = subscription;
  const at = useInstantText('app');
  const money = useMoneyText();
  const shown = (price: number) => money({ price, currency });
  const paid = periods.find(({ periodIndex }) => periodIndex === lastPeriodIndex);
  const isRegular = firstPeriod === undefined || lastPeriodIndex > 0;
  const isSame = paid === undefined || paid.price === renewalPrice || !isRegular;
  if (state !== 'active' && state !== 'autoPaymentOff') return undefined;
  const consent = awaitsConsent ? '; awaits consent' : '';
  if (!isSame) {
    return `${shown(paid.price)} ${periodNames[period]}, ${shown(renewalPrice)} from ${at(expiryTime)}${consent}.`;
  }
  return awaitsConsent
    ? `${shown(renewalPrice)} ${periodNames[period]} from ${at(expiryTime)}${consent}.`
    : undefined;
}

function useStateSentence(subscription: Subscription): string {
  const { state, expiryTime, nextPaymentTime, terminatedTime = expiryTime } = subscription;
  const { renewalPrice: price, currency, period } = subscription;
  const at = useInstantText('app');
  const renewal = `${useMoneyText()({ price, currency })} ${periodNames[period]}`;
  const isFree = isInTrial(subscription);
  const end = subscription.awaitsConsent
    ? `it ends then unless the customer agrees to ${renewal}`
    : 'no further period is charged';
  const next = nextPaymentTime === undefined ? '' : `, next attempt ${at(nextPaymentTime)}`;
  const sentences: Readonly<Record<typeof state, string>> = {
    active: `${isFree ? 'Free' : 'Paid'} until ${at(expiryTime)}, then ${renewal}.`,
    autoPaymentOff: `${isFree ? 'Free' : 'Access lasts'} until ${at(expiryTime)}; ${end}.`,
    paymentOutstanding: `Unpaid since ${at(expiryTime)}${next}.`,
    expired: `Ended with its paid time on ${at(expiryTime)}.`,
    terminated: `Ended at once on ${at(terminatedTime)}.`,
  };
  return sentences[state];
}
