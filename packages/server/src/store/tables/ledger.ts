// The tables of apps, their products, purchases, subscriptions, events and actions, without leases and package names.

import {
  ActionAuthor,
  ActionDetail,
  ActionOperation,
  ActionSubject,
  ReasonCode,
  reasonFields,
} from '@opentill/contract/actions.ts';
import { EventConsent, EventType, ExpiryReason, VoidCause } from '@opentill/contract/events.ts';
import * as fields from '@opentill/contract/fields.ts';
import { periodIndexMax } from '@opentill/contract/limits.ts';
import { FirstPeriodLength, Period } from '@opentill/contract/periods.ts';
import { AttemptOutcome, PauseReason } from '@opentill/contract/renewals.ts';
import { RecurringPurchaseDetails } from '@opentill/contract/resources.ts';
import Type from 'typebox';
import { attemptsMax } from '../../domain/subscriptions/charge-times.ts';
import { filled, hash, name, optional, order, smallNumber, type Table } from '../statements/table.ts';

export const app = {
  table: 'app',
  key: [],
  columns: {
    clientId: filled('client_id', 'text', fields.ClientId),
    appNumber: filled('app_number', 'bigint', Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
    name: optional('name', 'text', fields.AppName),
    disabledAt: optional('disabled_at', 'bigint', fields.Timestamp),
    clientSecretHash: filled('client_secret_hash', 'bytea', hash),
    previousClientSecretHash: optional('previous_client_secret_hash', 'bytea', hash),
    previousClientSecretUntil: optional('previous_client_secret_until', 'bigint', fields.Timestamp),
    createdAt: filled('created_at', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

const generation = Type.Integer({ minimum: 0, maximum: 65_535 });

export const accessToken = {
  table: 'access_token',
  key: [],
  columns: {
    tokenGeneration: filled('generation', 'integer', generation),
    issuedKeyId: optional('issued_key_id', 'integer', Type.Integer({ minimum: 0, maximum: 255 })),
    issuedGeneration: optional('issued_generation', 'integer', generation),
    issuedAtSeconds: optional('issued_at_seconds', 'bigint', order),
    cutIssuedAtSeconds: optional('cut_issued_at_seconds', 'bigint', order),
    cutEndsAt: optional('cut_ends_at', 'bigint', order),
  },
} as const satisfies Table;

export const appCounter = {
  table: 'app_counter',
  key: [],
  columns: {
    eventOrder: filled('event_order', 'bigint', order),
    voidOrder: filled('void_order', 'bigint', order),
    lastVoidedTime: filled('last_voided_time', 'bigint', order),
  },
} as const satisfies Table;

export const product = {
  table: 'product',
  key: ['productId'],
  columns: {
    productId: filled('product_id', 'text', fields.ProductId),
    type: filled('type', 'text', fields.ProductType),
    period: optional('period', 'text', Period),
    title: optional('title', 'text', fields.ProductTitle),
    price: filled('price', 'bigint', fields.Price),
    currency: filled('currency', 'text', fields.Currency),
    createdAt: filled('created_at', 'bigint', fields.Timestamp),
    updatedAt: filled('updated_at', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

/** The price of a period is that of its purchase. */
const PeriodRecord = Type.Omit(RecurringPurchaseDetails, ['price'], { additionalProperties: false });

const periodIndex = Type.Integer({ minimum: 0, maximum: periodIndexMax });
const attempt = Type.Integer({ minimum: 1, maximum: attemptsMax });
const anchorIndex = Type.Integer({ minimum: -1, maximum: periodIndexMax });

export const subscription = {
  table: 'subscription',
  key: ['firstPurchaseId'],
  columns: {
    firstPurchaseId: filled('first_purchase_id', 'text', fields.PurchaseId),
    productId: filled('product_id', 'text', fields.ProductId),
    firstStartTime: filled('first_start_time', 'bigint', fields.Timestamp),
    timeZone: filled('time_zone', 'text', name),
    anchorTime: { ...filled('anchor_time', 'bigint', fields.Timestamp), isDerived: true },
    anchorIndex: { ...filled('anchor_index', 'integer', anchorIndex), isDerived: true },
    period: filled('period', 'text', Period),
    firstPeriod: optional('first_period', 'text', FirstPeriodLength),
    price: filled('price', 'bigint', fields.Price),
    renewalPrice: optional('renewal_price', 'bigint', fields.Price),
    currency: filled('currency', 'text', fields.Currency),
    developerPayload: filled('developer_payload', 'text', fields.DeveloperPayload),
    buyerId: optional('buyer_id', 'text', fields.BuyerId),
    autoRenewing: filled('auto_renewing', 'boolean', Type.Boolean()),
    cancelReason: optional('cancel_reason', 'text', fields.CancelReason),
    cancelledTime: optional('cancelled_time', 'bigint', fields.Timestamp),
    consent: optional('consent', 'text', fields.Consent),
    expiryTime: filled('expiry_time', 'bigint', fields.Timestamp),
    nextPaymentTime: optional('next_payment_time', 'bigint', fields.Timestamp),
    lastPeriodIndex: filled('last_period_index', 'integer', periodIndex),
    lastPurchaseId: filled('last_purchase_id', 'text', fields.PurchaseId),
    lastStartTime: filled('last_start_time', 'bigint', fields.Timestamp),
    terminatedTime: optional('terminated_time', 'bigint', fields.Timestamp),
    openChargeTime: optional('open_charge_time', 'bigint', fields.Timestamp),
    expiryEventWritten: filled('expiry_event_written', 'boolean', Type.Boolean()),
    autoPaymentChangedBy: optional('auto_payment_changed_by', 'text', name),
    erasedAt: optional('erased_at', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

export const purchase = {
  table: 'purchase',
  importMark: 'is_imported',
  key: ['purchaseId'],
  columns: {
    purchaseId: filled('purchase_id', 'text', fields.PurchaseId),
    productId: filled('product_id', 'text', fields.ProductId),
    orderId: optional('order_id', 'text', fields.OrderId),
    buyerId: optional('buyer_id', 'text', fields.BuyerId),
    purchaseTime: filled('purchase_time', 'bigint', fields.Timestamp),
    developerPayload: filled('developer_payload', 'text', fields.DeveloperPayload),
    price: filled('price', 'bigint', fields.Price),
    currency: filled('currency', 'text', fields.Currency),
    consumedTime: optional('consumed_time', 'bigint', fields.Timestamp),
    consumedBy: optional('consumed_by', 'text', name),
    voidedTime: optional('voided_time', 'bigint', fields.Timestamp),
    voidOrder: optional('void_order', 'bigint', order),
    voidReason: optional('void_reason', 'text', fields.CancelReason),
    voidCause: optional('void_cause', 'text', VoidCause),
    refundAmount: optional('refund_amount', 'bigint', fields.Price),
    firstPurchaseId: optional('first_purchase_id', 'text', fields.PurchaseId),
    periodIndex: optional('period_index', 'integer', periodIndex),
    startTime: optional('start_time', 'bigint', fields.Timestamp),
    expiryTime: optional('expiry_time', 'bigint', fields.Timestamp),
    recordedBy: optional('recorded_by', 'text', name),
    recordedFrom: optional('recorded_from', 'text', name),
    recordedRequestId: optional('recorded_request_id', 'text', name),
    voidedBy: optional('voided_by', 'text', name),
    erasedAt: optional('erased_at', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

export const renewalAttempt = {
  table: 'renewal_attempt',
  key: ['firstPurchaseId', 'periodIndex', 'attempt'],
  columns: {
    firstPurchaseId: filled('first_purchase_id', 'text', fields.PurchaseId),
    periodIndex: filled('period_index', 'integer', periodIndex),
    attempt: filled('attempt', 'integer', attempt),
    idempotencyKey: filled('idempotency_key', 'text', name),
    dueTime: filled('due_time', 'bigint', fields.Timestamp),
    begunTime: filled('begun_time', 'bigint', fields.Timestamp),
    tries: filled('tries', 'integer', smallNumber),
    nextTryTime: optional('next_try_time', 'bigint', fields.Timestamp),
    outcome: optional('outcome', 'text', AttemptOutcome),
    settledTime: optional('settled_time', 'bigint', fields.Timestamp),
    purchaseId: optional('purchase_id', 'text', fields.PurchaseId),
    madeBy: filled('made_by', 'text', name),
    requestId: filled('request_id', 'text', name),
    wasPending: filled('was_pending', 'boolean', Type.Boolean()),
    refundDueTime: optional('refund_due_time', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

export const renewalPause = {
  table: 'renewal_pause',
  key: [],
  columns: {
    pausedAt: filled('paused_at', 'bigint', fields.Timestamp),
    pausedBy: filled('paused_by', 'text', name),
    reason: optional('reason', 'text', PauseReason),
  },
} as const satisfies Table;

export const event = {
  table: 'event',
  importMark: 'is_imported',
  key: ['eventOrder'],
  columns: {
    eventOrder: filled('event_order', 'bigint', order),
    type: filled('type', 'text', EventType),
    eventTime: filled('event_time', 'bigint', fields.Timestamp),
    purchaseId: optional('purchase_id', 'text', fields.PurchaseId),
    firstPurchaseId: optional('first_purchase_id', 'text', fields.PurchaseId),
    productId: optional('product_id', 'text', fields.ProductId),
    record: optional('record', 'json', PeriodRecord),
    madeBy: filled('made_by', 'text', name),
    requestId: filled('request_id', 'text', name),
    writtenAt: filled('written_at', 'bigint', fields.Timestamp),
    expiryReason: optional('expiry_reason', 'text', ExpiryReason),
    previousExpiryTime: optional('previous_expiry_time', 'bigint', fields.Timestamp),
    attempt: optional('attempt', 'integer', attempt),
    renewalPrice: optional('renewal_price', 'bigint', fields.Price),
    previousRenewalPrice: optional('previous_renewal_price', 'bigint', fields.Price),
    consent: optional('consent', 'text', EventConsent),
  },
} as const satisfies Table;

export const operatorAction = {
  table: 'operator_action',
  importMark: 'is_imported',
  key: ['order'],
  columns: {
    order: filled('action_order', 'bigint', order),
    time: filled('made_at', 'bigint', fields.Timestamp),
    operationId: filled('operation_id', 'text', ActionOperation),
    madeBy: filled('made_by', 'text', ActionAuthor),
    clientAddress: optional('client_address', 'text', name),
    requestId: optional('request_id', 'text', name),
    subject: optional('subject', 'text', ActionSubject),
    detail: optional('detail', 'json', ActionDetail),
    reasonCode: optional('reason_code', 'text', ReasonCode),
    note: optional('note', 'text', reasonFields.note),
    ticket: optional('ticket', 'text', reasonFields.ticket),
  },
} as const satisfies Table;
