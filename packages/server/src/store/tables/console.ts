// The tables of the console, without package names. They are never exported.

import * as fields from '@opentill/contract/fields.ts';
import { ConsoleRole } from '@opentill/contract/sessions.ts';
import { hash, name } from './field-shapes.ts';
import { filled } from './table.ts';

export const consoleSession = {
  table: 'console_session',
  columns: {
    hash: filled('session_hash', 'bytea', hash),
    madeBy: filled('made_by', 'text', name),
    role: filled('role', 'text', ConsoleRole),
    keyHash: filled('key_hash', 'bytea', hash),
    createdAt: filled('created_at', 'bigint', fields.Timestamp),
    lastSeenAt: filled('last_seen_at', 'bigint', fields.Timestamp),
    endsAt: filled('ends_at', 'bigint', fields.Timestamp),
  },
} as const;

export const consoleLink = {
  table: 'console_link',
  columns: {
    hash: filled('code_hash', 'bytea', hash),
    madeBy: filled('made_by', 'text', name),
    role: filled('role', 'text', ConsoleRole),
    keyHash: filled('key_hash', 'bytea', hash),
    endsAt: filled('ends_at', 'bigint', fields.Timestamp),
  },
} as const;
