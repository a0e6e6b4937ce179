import { decideLink, type LinkedAccount, type LinkFacts } from './link-decision';

const BOOLEANS = [true, false] as const;
const ACCOUNTS: (LinkedAccount | undefined)[] = [
  undefined,
  ...BOOLEANS.flatMap((isDisabled) => BOOLEANS.flatMap((isAddressProved) => BOOLEANS.flatMap((isProvisionedHere) => BOOLEANS.map((hasThisAddress) => ({ isDisabled, isAddressProved, isProvisionedHere, hasThisAddress }))))),
];

/** Every combination of what can be known. */
const all: LinkFacts[] = BOOLEANS.flatMap((isTrusted) => BOOLEANS.flatMap((provisions) => BOOLEANS.flatMap((isSignUpOpen) =>
  (['none', 'other-domain', 'claimed', 'verified'] as const).flatMap((address) => (['none', 'claimed', 'agreed'] as const).flatMap((identity) =>
    ACCOUNTS.map((account) => ({ isTrusted, provisions, isSignUpOpen, address, identity, account })))))));

const kindsOf = (which: (facts: LinkFacts) => boolean) => [...new Set(all.filter(which).map((facts) => decideLink(facts).kind))].sort();

describe('the decision whom an issuer signs in', () => {
  it('gives no known account to a new subject on a word that is not trusted', () => {
    expect(kindsOf(({ identity, account, isTrusted, address }) => identity === 'none' && account?.isProvisionedHere === false && !(isTrusted && address === 'verified'))).toEqual(['ask', 'refuse']);
  });

  it('gives no proved account to a subject that was never agreed to, on a word that is not trusted', () => {
    const which = ({ identity, account, isTrusted, address }: LinkFacts) => identity === 'claimed' && account?.isAddressProved === true && !account.isProvisionedHere && !(isTrusted && address === 'verified');
    expect(kindsOf(which)).toEqual(['ask', 'refuse']);
  });

  it('gives no account of another address than the issuer has verified', () => {
    const which = ({ identity, account }: LinkFacts) => identity === 'claimed' && account?.isAddressProved === true && !account.hasThisAddress;
    expect(kindsOf(which)).toEqual(['ask', 'refuse']);
  });

  it('lets nobody in to a disabled account', () => {
    expect(kindsOf(({ account }) => account?.isDisabled === true)).toEqual(['refuse']);
  });

  it('makes accounts only where it may, of an address, and proved ones on a trusted word alone', () => {
    const made = all.filter((facts) => decideLink(facts).kind === 'provision');
    expect(made.length).toBeGreaterThan(0);
    expect(made.every(({ provisions, account, identity, address }) => provisions && account === undefined && identity === 'none' && (address === 'claimed' || address === 'verified'))).toBe(true);
    expect(made.filter(({ isSignUpOpen }) => !isSignUpOpen).every(({ isTrusted, address }) => isTrusted && address === 'verified')).toBe(true);
    const proving = all.filter((facts) => { const decision = decideLink(facts); return 'proves' in decision && decision.proves; });
    expect(proving.every(({ isTrusted, address }) => isTrusted && address === 'verified')).toBe(true);
  });

  it('knows an agreed subject again, whatever has become of the address', () => {
    expect(kindsOf(({ identity, account }) => identity === 'agreed' && account?.isDisabled === false)).toEqual(['sign-in']);
  });
});
