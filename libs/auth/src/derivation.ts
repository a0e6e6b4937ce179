import { forbidden, type Principal } from '@twinyard/conventions';

declare const checked: unique symbol;

/** Scopes that something may be issued with. Only this file makes them, and whatever signs or stores wants them. */
export type IssuableScopes = readonly string[] & { readonly [checked]: true };

/** What decides how much of a caller can be passed on. */
export type Maker = Pick<Principal, 'scopes' | 'run' | 'accessKeyId'>;

interface DerivedKind {
  readonly called: string;
  /** The only scopes that it can have; absent: whatever its maker has. */
  readonly scopes?: readonly string[];
  /** Scopes that no user's token has, and that come with the right to make it. */
  readonly own?: readonly string[];
  /** Whether the token of a run makes it. */
  readonly byRun?: true;
  /** Whether a token that came of an access key makes it: not, where it would outlive that key unseen. */
  readonly byAccessKey?: true;
}

/** What a person who is signed in to the platform itself may pass on. */
export const ACTION_SCOPES = ['read', 'write'] as const;

/** Everything that acts by itself once somebody's token has made it. */
const KINDS = {
  accessKey: { called: 'access keys', scopes: ACTION_SCOPES },
  applicationSecret: { called: 'secrets of applications', byAccessKey: true },
  applicationToken: { called: 'tokens of applications', byAccessKey: true },
  client: { called: 'clients', own: ['scim', 'download-secrets'], byAccessKey: true },
  run: { called: 'runs', scopes: ACTION_SCOPES, byRun: true, byAccessKey: true },
  // It outlives the run and the key, for all to see who may READ the orchestrator.
  schedule: { called: 'schedules', scopes: ACTION_SCOPES, byAccessKey: true },
} as const satisfies Record<string, DerivedKind>;

export type Derivable = keyof typeof KINDS;

/**
 * Contract 0.4: what is derived from a token has at most its scopes, and making it needs `write`. `wanted`: the scopes that it is to have;
 * absent: as many as it can.
 * @throws ServiceError `forbidden`
 */
export function deriveScopes(maker: Maker, kind: Derivable, wanted?: readonly string[]): IssuableScopes {
  const rule: DerivedKind = KINDS[kind];
  if (maker.run !== undefined && !rule.byRun) throw forbidden(`The token of a run makes no ${rule.called}`);
  if (maker.accessKeyId !== undefined && !rule.byAccessKey) throw forbidden(`A token by an access key makes no ${rule.called}`);
  if (!maker.scopes.includes('write')) throw forbidden(`The token's scope does not allow making ${rule.called}`);
  const passable = [...maker.scopes.filter((scope) => rule.scopes?.includes(scope) ?? true), ...(rule.own ?? [])];
  if (wanted === undefined) return issuable(passable);
  const beyond = wanted.find((scope) => !passable.includes(scope));
  if (beyond !== undefined) throw forbidden(`The token cannot pass on the scope ${JSON.stringify(beyond)}`);
  return issuable(wanted);
}

/** Scopes that were derived when what holds them (a key, a run) was made, as they were kept since; of actions alone. */
export const keptScopes = (kept: readonly string[]): IssuableScopes => issuable(kept.filter((scope) => ACTION_SCOPES.some((known) => known === scope)));

/** The end of what is derived, in epoch seconds, where its source has one: the earlier of the two. */
export const derivedEnd = (wanted: number, sourceEnd: number | undefined): number => (sourceEnd === undefined ? wanted : Math.min(wanted, sourceEnd));

const issuable = (scopes: readonly string[]) => [...new Set(scopes)] as unknown as IssuableScopes;
