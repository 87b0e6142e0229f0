// The server under test, and the test data that is known to exist on it.

export interface ConformanceTarget {
  /** Scheme, host and port: `https://host`, or `http://127.0.0.1:8080` for a server on this machine. */
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly packageName: string;
  /** PEM certificates to trust instead of those of the machine. */
  readonly ca?: string | undefined;
  readonly known?: KnownRecords;
}

/** Existing test data. A check whose data is neither given here nor created in a sandbox is inconclusive. */
export interface KnownRecords {
  /** The first is read, and consumed if changes are allowed; the second is consumed concurrently. */
  readonly unconsumedPurchase?: readonly string[] | undefined;
  /** The product of the first unconsumed purchase. */
  readonly productId?: string | undefined;
  readonly consumedPurchase?: string | undefined;
  readonly voidedPurchase?: string | undefined;
  /** The first purchase id of a subscription whose auto-payment is active. */
  readonly subscription?: string | undefined;
  /** Another app, and an unconsumed one-time purchase of it. */
  readonly otherPackage?: string | undefined;
  readonly otherPurchase?: string | undefined;
  readonly expiredToken?: string | undefined;
  /** A token that the other environment issued. */
  readonly otherEnvironmentToken?: string | undefined;
}

/** Hosts that may be called without TLS, because nothing leaves the machine. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns the origin for a host option, or a problem. */
export function parseOrigin(host: string): { readonly origin: string } | { readonly problem: string } {
  const text = /^[a-z]+:\/\//i.test(host) ? host : `https://${host}`;
  const url = URL.parse(text);
  const expected = `expected a host, or https:// and a host, got "${host}"`;
  if (url === null) return { problem: `${expected}.` };
  const { protocol, origin, hostname, pathname, search, hash, username, password } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return { problem: `${expected}.` };
  if (username !== '' || password !== '') return { problem: 'expected a host without a user or a password.' };
  if (pathname !== '/' || search !== '' || hash !== '') {
    return { problem: `${expected}: a path is not allowed.` };
  }
  if (protocol === 'http:' && !loopback.test(hostname)) {
    return { problem: `${expected}: http is only allowed for a server on this machine.` };
  }
  return { origin };
}
