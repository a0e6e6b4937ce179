/** Which run a token was issued for, and the namespaces that it is bound to. */
export interface RunBounds {
  readonly id: string;
  readonly namespaces: readonly string[];
}

/** Who makes a request, as its token says. */
export interface Principal {
  readonly type: 'user' | 'client';
  readonly id: string;
  /** The application that the token was issued to. Absent for client-credentials tokens. */
  readonly appId?: string;
  /** The sign-in session that the token belongs to; a logout ends all of its tokens. */
  readonly sessionId?: string;
  /** The authorization (RFC 6749 grant) that the token came from; a replayed code revokes all of its tokens. */
  readonly oauthGrantId?: string;
  /** The token's own id (`jti`). */
  readonly tokenId: string;
  readonly scopes: readonly string[];
  /** A run acts with the rights of this permission profile instead of the user's (contract 5). */
  readonly profileId?: string;
  /** Of a run's token: whatever its starter may elsewhere, it acts within these bounds. */
  readonly run?: RunBounds;
  /** The access key that the token came of. */
  readonly accessKeyId?: string;
}

/** The console application (contract 1.3). */
export const CONSOLE_APP_ID = 'console';
