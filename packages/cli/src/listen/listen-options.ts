// The options of opentill listen.

export interface ListenOptions {
  readonly forwardTo: string;
  readonly host?: string;
  readonly clientId: string;
  readonly clientSecretFile?: string;
  readonly dataDir?: string;
  readonly ca?: string;
  readonly secret?: string;
  readonly from?: string;
  readonly events?: readonly string[];
  readonly retrySeconds: number;
  readonly json?: boolean;
}

/** The environment variable with the client secret, unless it is in a file. */
export const secretVariable = 'LISTEN_CLIENT_SECRET';
