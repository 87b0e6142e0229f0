// Takes out of a text what is, or might be, a token or a client secret.

const mask = '***';

/** Client secrets have 43 characters and tokens 36, of an alphabet in which little else is as long. */
const longRun = /[A-Za-z0-9_-]{36,}/g;

/** A usual form of product ids, and never that of 27 or 32 random bytes in base64url. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The text without these secrets, wherever they stand. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, mask)), text);
}

/** Also without whatever might be one: for texts that repeat what a caller wrote. */
export function withoutLikelySecrets(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text, secrets).replaceAll(longRun, (run) => (uuid.test(run) ? run : mask));
}
