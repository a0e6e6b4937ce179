/** What is known when somebody comes back from an identity provider. */
export interface LinkFacts {
  /** A platform manager lets the provider speak for addresses. */
  readonly isTrusted: boolean;
  /** The provider makes accounts. */
  readonly provisions: boolean;
  /** Anybody may make an account on this platform. */
  readonly isSignUpOpen: boolean;
  /** There is an address, it is of the provider's domains, and the issuer has verified it. */
  readonly address: 'none' | 'other-domain' | 'claimed' | 'verified';
  /** This subject signed in before; `agreed`: with the account owner's consent. */
  readonly identity: 'none' | 'claimed' | 'agreed';
  /** The account of the subject, or else of the address. */
  readonly account: LinkedAccount | undefined;
}

export interface LinkedAccount {
  readonly isDisabled: boolean;
  readonly isAddressProved: boolean;
  /** SCIM of the provider's own organization made it. */
  readonly isProvisionedHere: boolean;
  /** Its address is the one that the issuer names. */
  readonly hasThisAddress: boolean;
}

export type Refusal = 'disabled' | 'no-email' | 'other-domain' | 'no-account';

export type LinkDecision =
  /** As before. */
  | { readonly kind: 'sign-in' }
  /** The account and the subject belong together; `proves`: the issuer's word proves the account's address. */
  | { readonly kind: 'link'; readonly proves: boolean }
  | { readonly kind: 'provision'; readonly proves: boolean }
  /** The account's owner has to say so first. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly reason: Refusal };

const refuse = (reason: Refusal): LinkDecision => ({ kind: 'refuse', reason });

/**
 * Who an organization's issuer can sign in. Its owner runs it and can make it say anything, so its word on an address counts
 * only where a platform manager trusts it, or for accounts that the organization's own SCIM made. A connection that somebody
 * claimed before the address was proved ends with that proof: else whoever claims an address first would keep a key to it.
 */
export function decideLink(facts: LinkFacts): LinkDecision {
  const { account, identity } = facts;
  if (account?.isDisabled === true) return refuse('disabled');
  if (identity !== 'none') return account === undefined ? refuse('no-account') : decideKnown(facts, account);
  if (facts.address === 'none') return refuse('no-email');
  if (facts.address === 'other-domain') return refuse('other-domain');
  return account === undefined ? decideNew(facts) : decideJoin(facts, account);
}

function decideKnown(facts: LinkFacts, account: LinkedAccount): LinkDecision {
  if (facts.identity === 'agreed' || !account.isAddressProved) return { kind: 'sign-in' };
  return account.hasThisAddress ? decideJoin(facts, account) : { kind: 'ask' };
}

function decideJoin(facts: LinkFacts, account: LinkedAccount): LinkDecision {
  if (speaksForAddress(facts)) return { kind: 'link', proves: true };
  return account.isProvisionedHere ? { kind: 'link', proves: false } : { kind: 'ask' };
}

function decideNew(facts: LinkFacts): LinkDecision {
  const proves = speaksForAddress(facts);
  return facts.provisions && (proves || facts.isSignUpOpen) ? { kind: 'provision', proves } : refuse('no-account');
}

const speaksForAddress = ({ isTrusted, address }: LinkFacts) => isTrusted && address === 'verified';
