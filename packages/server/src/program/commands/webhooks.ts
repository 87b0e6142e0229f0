// What sends events as the webhook of an app would.

export { parseRange } from '../../domain/address-range.ts';
export { parseWebhookUrl } from '../../domain/webhooks/webhook-address.ts';
export {
  formatWebhookSecret,
  generatedSecretBytes,
  parseWebhookSecret,
  signatureHeaders,
} from '../../domain/webhooks/webhook-signature.ts';
export { isDelivered, webhookSender } from '../../jobs/webhooks/webhook-sender.ts';
