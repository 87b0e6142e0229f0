// The tables of the sandbox, without leases and package names. The target of an advance is included, so that the advance
// can be repeated after an import.

import { NewFault } from '@opentill/contract/faults.ts';
import * as fields from '@opentill/contract/fields.ts';
import { loggedHeaderMax, loggedPathMax, loggedResponseBytesMax } from '@opentill/contract/logged-request.ts';
import Type from 'typebox';
import { filled, name, optional, order, smallNumber, type Table } from '../statements/table.ts';

export const appClock = {
  table: 'app_clock',
  key: [],
  columns: {
    mode: filled('mode', 'text', fields.ClockMode),
    rate: filled('rate', 'double precision', fields.ClockRate),
    realTime: filled('real_time', 'bigint', fields.Timestamp),
    appTime: filled('app_time', 'bigint', fields.Timestamp),
    advanceTo: optional('advance_to', 'bigint', fields.Timestamp),
  },
} as const satisfies Table;

export const fault = {
  table: 'fault',
  key: ['position'],
  columns: {
    position: filled('position', 'integer', smallNumber),
    putId: filled('put_id', 'text', name),
    operation: filled('operation', 'text', NewFault.properties.operation),
    code: optional('code', 'integer', NewFault.properties.code),
    httpStatus: optional('http_status', 'integer', NewFault.properties.httpStatus),
    delayMs: optional('delay_ms', 'integer', NewFault.properties.delayMs),
    cut: optional('cut', 'text', NewFault.properties.cut),
    outcome: optional('outcome', 'text', NewFault.properties.outcome),
    firstPurchaseId: optional('first_purchase_id', 'text', NewFault.properties.firstPurchaseId),
    times: optional('times', 'integer', NewFault.properties.times),
    applied: filled('times_applied', 'bigint', order),
  },
} as const satisfies Table;

const headerText = fields.text(0, loggedHeaderMax, 'A part of a call, without its token and secret.');

export const requestLog = {
  table: 'request_log',
  key: ['calledAt', 'callOrder', 'requestId'],
  columns: {
    calledAt: filled('called_at', 'bigint', fields.Timestamp),
    callOrder: filled('call_order', 'bigint', order),
    requestId: filled('request_id', 'text', name),
    appTime: filled('app_time', 'bigint', fields.Timestamp),
    operationId: filled('operation_id', 'text', name),
    method: filled('method', 'text', name),
    path: filled('path', 'text', fields.text(0, loggedPathMax, 'The path of a call.')),
    httpStatus: optional('http_status', 'integer', smallNumber),
    errorCode: optional('error_code', 'integer', smallNumber),
    latencyMs: filled('latency_ms', 'double precision', Type.Number()),
    response: filled('response', 'text', fields.text(0, loggedResponseBytesMax, 'The response to a call.')),
    isResponseCut: filled('is_response_cut', 'boolean', Type.Boolean()),
    faultPosition: optional('fault_position', 'integer', smallNumber),
    isJson: filled('is_json', 'boolean', Type.Boolean()),
    hasIgnoredBody: filled('has_ignored_body', 'boolean', Type.Boolean()),
    authorization: filled('authorization_header', 'text', headerText),
    secretShape: optional('secret_shape', 'text', headerText),
  },
} as const satisfies Table;
