// Masks tokens and client secrets in a text.

const mask = '***';

/** Client secrets have 43 characters and tokens 36; little else of this alphabet is as long. */
const longRun = /[A-Za-z0-9_-]{36,}/g;

/** A common format of product ids, which 27 or 32 random bytes in base64url cannot have by their length. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Masks every occurrence of the given secrets. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, mask)), text);
}

/** Also masks everything that looks like a secret, for texts that quote a caller. */
export function withoutLikelySecrets(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text, secrets).replaceAll(longRun, (run) => (uuid.test(run) ? run : mask));
}
