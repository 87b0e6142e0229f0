// The headings of the specification that checks cite.

export type Section =
  | 'What the service does'
  | 'Resources and their fields'
  | 'States and transitions'
  | 'Endpoints'
  | 'getAccessToken'
  | 'getPurchaseDetailsByProductId'
  | 'getLastRecurringPurchaseDetails'
  | 'getVoidedPurchases query parameters'
  | 'Authentication'
  | 'Errors'
  | 'Limits';
