// The errors of all four APIs in one table. The purchase and events APIs send its code and title, the operator
// and developer APIs send RFC 9457 problem details. The documentation shows the rest.

interface ErrorRow {
  /** `error.code` on the public listener (the specification, "Errors"). */
  readonly code: number;
  /** The HTTP status. */
  readonly status: number;
  /** The problem type: a URI reference to its row in the documentation that the server serves. */
  readonly type: string;
  /** The message, unless a more specific one is available. */
  readonly title: string;
  /** When a call gets it, in Markdown with code marks only. */
  readonly cause: string;
  /** A call that gets it. */
  readonly example: string;
  /** The cure for the caller. */
  readonly cure: string;
}

export const errors = {
  invalidRequest: {
    code: 9000,
    status: 400,
    type: '/docs/problems#invalid-request',
    title: 'A required value is missing or invalid.',
    cause:
      'A value of the path, the query or the body is missing or invalid, or the body has an unknown field or is not JSON in UTF-8. A purchase call has no `Content-Type: application/json`, or an action other than `cancel` or `reactivate`. A path or a query cannot be decoded.',
    example: '`GET /v2/purchase/details/P-1/com.example.game` without `Content-Type: application/json`',
    cure: 'Fix the request as the message says.',
  },
  invalidTokenRequest: {
    code: 400,
    status: 400,
    type: '/docs/problems#invalid-token-request',
    title: 'The token request is invalid.',
    cause:
      'getAccessToken: another content type, a missing or duplicate parameter, another grant_type, an unknown or disabled client, a wrong secret, or a body that is compressed or not UTF-8.',
    example: '`POST /v2/oauth/token?client_id=com.example.game&client_secret=...` with an empty body',
    cure: 'Send `client_id`, `client_secret` and `grant_type=client_credentials` in a form, each value encoded. In the sandbox, the request log has a hint.',
  },
  invalidPackageName: {
    code: 9100,
    status: 400,
    type: '/docs/problems#invalid-package-name',
    title: 'The package name is not the one that the access token was issued for.',
    cause: 'getVoidedPurchases: the package is not the one of the token.',
    example: '`GET /v2/purchase/voided-purchases/com.example.other` with a token of `com.example.game`',
    cure: 'Use the package name of the app that requested the token.',
  },
  searchRuleViolated: {
    code: 9101,
    status: 400,
    type: '/docs/problems#search-rule-violated',
    title: 'The query violates a search rule.',
    cause: 'getVoidedPurchases: the query breaks a rule, or the continuationKey is not one of this app.',
    example: '`?startTime=` with an instant that is 32 days ago',
    cure: 'Restart the walk with a startTime of the last month, or read an earlier month with its endTime alone, and send a continuationKey unchanged.',
  },
  malformedRequest: {
    code: 9999,
    status: 400,
    type: '/docs/problems#malformed-request',
    title: 'The request is not valid HTTP.',
    cause: 'The request is not valid HTTP. The connection is closed.',
    example: 'a header line without a colon',
    cure: 'Fix the client or the proxy in front of it.',
  },
  unauthorized: {
    code: 401,
    status: 401,
    type: '/docs/problems#unauthorized',
    title: 'The access token or operator key is missing, expired or invalid.',
    cause:
      'No `Authorization`, any form other than `Bearer <token>`, an unknown, expired or expelled token, a token of another environment, a disabled app, or an unknown operator key. With `WWW-Authenticate: Bearer`.',
    example: '`Authorization: bearer <token>`, with a small b',
    cure: 'Request a token and retry once. If that fails too, check the header, and that token and server are of the same environment.',
  },
  forbidden: {
    code: 9999,
    status: 403,
    type: '/docs/problems#forbidden',
    title: 'The credentials do not allow this operation.',
    cause:
      'Operator API: the role of the key or session does not allow this operation, or a call of the console did not come from a page of this server, opened with https where that is set up. Developer API in production: the operation also needs the newest client secret, in `x-client-secret`.',
    example: '`DELETE /developer/v1/webhook` in production with a token alone',
    cure: 'Use a key with the role that the detail names, or send the newest client secret of the app.',
  },
  notFound: {
    code: 9001,
    status: 404,
    type: '/docs/problems#not-found',
    title: 'Resource not found.',
    cause:
      'No such purchase of this app; another product; the id of a subscription in a one-time read, or the reverse; an id that no purchase can have; a package that is not the one of the token. Operator and developer APIs: no such app, product, purchase, subscription, webhook or delivery.',
    example: '`GET /v2/purchase/details/P-1/com.example.game`, where P-1 is a period of a subscription',
    cure: 'Do not deliver. Check the id, the product and the package name. Refuse an id that is not of the form (1 to 20 of `A-Z a-z 0-9 . _ -` for a purchase, 150 for a product, neither `.` nor `..`) before it is in a path: with a `/` or `?` it makes another call.',
  },
  unknownPath: {
    code: 9999,
    status: 404,
    type: '/docs/problems#unknown-path',
    title: 'Path not found.',
    cause: 'No operation has this path.',
    example: '`GET /v2/purchases/P-1`',
    cure: 'Compare the path with the reference.',
  },
  methodNotAllowed: {
    code: 9999,
    status: 405,
    type: '/docs/problems#method-not-allowed',
    title: 'The path does not support this method.',
    cause: 'The path supports other methods, which `Allow` lists.',
    example: '`GET /v2/oauth/token`',
    cure: 'Use a method that `Allow` lists.',
  },
  requestTimeout: {
    code: 9999,
    status: 408,
    type: '/docs/problems#request-timeout',
    title: 'The request did not arrive completely in time.',
    cause: 'The request did not arrive completely in time. The connection is closed.',
    example: 'a body that is shorter than its Content-Length',
    cure: 'Retry.',
  },
  notPurchaseCompleted: {
    code: 9200,
    status: 409,
    type: '/docs/problems#not-purchase-completed',
    title: 'The purchase does not exist or is not in the purchase-completed state.',
    cause: 'consumePurchase: the app has no such purchase, or it was voided.',
    example: '`POST /v2/purchase/consume/P-1/com.example.game` after P-1 was voided',
    cure: 'Do not deliver, and take back what was delivered.',
  },
  consumptionUnchangeable: {
    code: 9201,
    status: 409,
    type: '/docs/problems#consumption-unchangeable',
    title: 'The consumption state cannot be changed or has already been changed.',
    cause: 'consumePurchase: already consumed, or a subscription.',
    example: 'a second `POST /v2/purchase/consume/P-1/com.example.game`',
    cure: 'Do not deliver twice: if your own list has the purchase, it was delivered before.',
  },
  multipleRecords: {
    code: 9202,
    status: 409,
    type: '/docs/problems#multiple-records',
    title: 'Multiple records match the purchase.',
    cause:
      'consumePurchase: two or more records. The database cannot contain such; a fault of the sandbox can inject it.',
    example: 'a fault with `{"operation": "consumePurchase", "code": 9202}`',
    cure: 'Do not deliver, and ask the store.',
  },
  conflict: {
    code: 9999,
    status: 409,
    type: '/docs/problems#conflict',
    title: 'The request conflicts with the current state.',
    cause:
      'Operator and developer APIs: the request contradicts what is stored, or the state does not allow this change.',
    example: 'recordPurchase with an orderId that exists, and another product',
    cure: 'Read the current state. The detail says what contradicts it.',
  },
  gone: {
    code: 9001,
    status: 410,
    type: '/docs/problems#gone',
    title: 'The requested data is no longer available.',
    cause:
      'listEvents: the event after this position is no longer available, or another one has replaced it since a backup was restored.',
    example: '`GET /events/v1/events?after=12` after retention has removed event 13',
    cure: 'Read the current state from the API, then restart without `after`.',
  },
  payloadTooLarge: {
    code: 9999,
    status: 413,
    type: '/docs/problems#payload-too-large',
    title: 'The request body is too large.',
    cause: 'The body is larger than 64 KiB. The connection is closed.',
    example: 'a body of 65,537 bytes',
    cure: 'Send less: no operation needs as much.',
  },
  unsupportedMediaType: {
    code: 9000,
    status: 415,
    type: '/docs/problems#unsupported-media-type',
    title: 'The media type or encoding of the body is not supported.',
    cause:
      'Operator and developer APIs: the body is not `application/json`, names a charset other than UTF-8, or is compressed.',
    example: "`curl -d '{}'` without `-H 'Content-Type: application/json'`",
    cure: 'Send uncompressed JSON in UTF-8 as `application/json`.',
  },
  misdirectedRequest: {
    code: 9999,
    status: 421,
    type: '/docs/problems#misdirected-request',
    title: 'The Host header names another server.',
    cause:
      'Operator listener: the Host header is not an IP address, `localhost` or a name in `OPENTILL_OPERATOR_HOSTS`.',
    example: '`http://till.internal:8081/docs` without that name in the setting',
    cure: 'Fix the URL or the setting.',
  },
  tooManyRequests: {
    code: 9999,
    status: 429,
    type: '/docs/problems#too-many-requests',
    title: 'Too many requests. Try again later.',
    cause:
      'More calls than `OPENTILL_RATE_LIMIT`, too many waiting calls of listEvents for an app, too many test events or wrong client secrets, or a quota of the sandbox (recordPurchase). With `Retry-After`, in seconds.',
    example: 'the 21st call of listEvents that waits for one app',
    cure: 'Wait for `Retry-After`, then retry.',
  },
  headerTooLarge: {
    code: 9999,
    status: 431,
    type: '/docs/problems#header-too-large',
    title: 'The request header is too large.',
    cause: 'The headers are larger than the limit. The connection is closed.',
    example: 'cookies of a whole domain that a proxy passes on',
    cure: 'Send fewer headers.',
  },
  internalError: {
    code: 9999,
    status: 500,
    type: '/docs/problems#internal-error',
    title: 'An internal error occurred.',
    cause: 'An error of the server; its log has the `x-request-id`.',
    example: 'a bug',
    cure: 'Report the `x-request-id` to the store. A change may have been made: read the state before a retry.',
  },
  unavailable: {
    code: 9999,
    status: 503,
    type: '/docs/problems#unavailable',
    title: 'The service is temporarily unavailable. Try again later.',
    cause:
      'Overload, or the database is unavailable. With `Retry-After`. A change may have been made or not.',
    example: 'any call while the database restarts',
    cure: 'Wait for `Retry-After`, then retry the same call.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorName = keyof typeof errors;
