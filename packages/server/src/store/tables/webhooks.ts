// The tables of webhooks, without leases and package names.

import { EventType } from '@opentill/contract/events.ts';
import * as fields from '@opentill/contract/fields.ts';
import { patternText } from '@opentill/contract/patterns.ts';
import {
  DeliveryAttempt,
  DeliveryState,
  keptAttemptsMax,
  webhookUrlMax,
} from '@opentill/contract/webhooks.ts';
import Type from 'typebox';
import { filled, name, optional, order, smallNumber, type Table } from '../statements/table.ts';

const secret = patternText('^([0-9a-f]{2}){1,64}$', '1 to 64 bytes in hexadecimal');

export const webhook = {
  table: 'webhook',
  key: [],
  columns: {
    url: filled('url', 'text', fields.text(1, webhookUrlMax, 'Where events are posted.')),
    secret: filled('secret', 'bytea', secret),
    previousSecret: optional('previous_secret', 'bytea', secret),
    previousSecretUntil: optional('previous_secret_until', 'bigint', fields.Timestamp),
    cursorOrder: filled('cursor_order', 'bigint', order),
    createdAt: filled('created_at', 'bigint', fields.Timestamp),
    updatedAt: filled('updated_at', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

export const webhookDelivery = {
  table: 'webhook_delivery',
  key: ['eventOrder'],
  columns: {
    eventOrder: filled('event_order', 'bigint', order),
    eventId: filled('event_id', 'text', name),
    eventType: filled('event_type', 'text', EventType),
    eventTime: filled('event_time', 'bigint', fields.Timestamp),
    purchaseId: optional('purchase_id', 'text', fields.PurchaseId),
    subject: optional('subject', 'text', name),
    state: filled('state', 'text', DeliveryState),
    dueTime: optional('due_time', 'bigint', fields.Timestamp),
    scheduleStart: optional('schedule_start', 'bigint', fields.Timestamp),
    scheduleAttempts: filled('schedule_attempts', 'integer', smallNumber),
    deliveredTime: optional('delivered_time', 'bigint', fields.Timestamp),
    attempts: filled('attempts', 'json', Type.Array(DeliveryAttempt, { maxItems: keptAttemptsMax })),
  },
} as const satisfies Table;
