// What happened to the newest purchases and subscriptions of a buyer in all apps, newest first.

import type { ListedSubscription, Purchase } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { buyerPurchasesQuery, buyerSubscriptionsQuery } from '../../api/buyer.ts';
import { Empty } from '../../parts/empty.tsx';
import { eventText } from '../../parts/event-words.ts';
import { ShortName } from '../../parts/long-text.tsx';
import { Money } from '../../parts/money.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { joinedState, Panel } from '../../parts/panel.tsx';
import { Story, StoryStep } from '../../parts/story.tsx';
import { isProduction } from '../../runtime/page.ts';

const shownMax = 20;

interface Step {
  readonly time: number;
  /** The type of its event. */
  readonly name: string;
  readonly by: string | undefined;
  readonly of: Purchase | ListedSubscription;
}

export function BuyerStory({ buyerId }: { readonly buyerId: string }) {
  const purchases = useQuery(buyerPurchasesQuery(buyerId));
  const subscriptions = useQuery(buyerSubscriptionsQuery(buyerId));
  const steps = [
    ...(purchases.data?.purchases ?? []).flatMap(stepsOfPurchase),
    ...(subscriptions.data?.subscriptions ?? []).flatMap(stepsOfSubscription),
  ].toSorted((left, right) => right.time - left.time);
  const order = 'of the latest purchases and subscriptions, newest first';
  return (
    <Panel
      title="What happened"
      note={isProduction ? order : `${order}, each by the clock of its app`}
      state={joinedState([purchases, subscriptions])}
    >
      {steps.length === 0 && <Empty text="Nothing has happened yet." />}
      <Story>
        {steps.slice(0, shownMax).map(({ of, ...step }) => (
          <StoryStep key={`${keyOf(of)} ${step.name}`} {...step} sentence={eventText(step.name)}>
            <span>
              <PageLink {...('purchaseId' in of ? linkTo.purchase(of) : linkTo.subscription(of))} size="sm">
                <ShortName text={of.productId} />
              </PageLink>{' '}
              <Money price={of.price} currency={of.currency} />, <ShortName text={of.packageName} />
            </span>
          </StoryStep>
        ))}
      </Story>
    </Panel>
  );
}

function keyOf(of: Step['of']): string {
  return `${of.packageName} ${'purchaseId' in of ? of.purchaseId : of.firstPurchaseId}`;
}

function stepsOfPurchase(of: Purchase): Step[] {
  const {
    purchaseTime,
    consumedTime,
    voidedTime,
    periodIndex,
    recordedBy,
    consumedBy = 'app',
    voidedBy,
  } = of;
  const month = periodIndex === 0 ? 'subscription.started' : 'subscription.renewed';
  const bought = periodIndex === undefined ? 'purchase.completed' : month;
  return [
    { time: purchaseTime, name: bought, by: recordedBy, of },
    ...step(of, consumedTime, 'purchase.consumed', consumedBy),
    ...step(of, voidedTime, 'purchase.voided', voidedBy),
  ];
}

function stepsOfSubscription(of: ListedSubscription): Step[] {
  const { cancelledTime, terminatedTime, autoPaymentChangedBy, state, expiryTime } = of;
  // A void that ends the subscription sets both times, and does not change autoPaymentChangedBy.
  const wasCancelled = cancelledTime !== terminatedTime;
  return [
    ...step(
      of,
      wasCancelled ? cancelledTime : undefined,
      'subscription.auto_payment_cancelled',
      autoPaymentChangedBy,
    ),
    ...step(of, terminatedTime, 'subscription.terminated'),
    ...step(of, state === 'expired' ? expiryTime : undefined, 'subscription.expired'),
  ];
}

function step(of: Step['of'], time: number | undefined, name: string, by?: string): Step[] {
  return time === undefined ? [] : [{ time, name, by, of }];
}
