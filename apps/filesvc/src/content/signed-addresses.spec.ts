import { SignedAddresses } from './signed-addresses';

const BASE = { BASE_URL: 'http://twinyard.test', SERVICE_TOKEN: 'service-token-of-the-tests', URL_TTL_SECONDS: 3_600 };
const [OLD, YOUNG] = ['the-old-key-of-thirty-two-characters', 'the-new-key-of-thirty-two-characters'];

/** Whether an address that one process gave out is good at another. */
function isGoodAt(other: SignedAddresses, address: string): boolean {
  const { searchParams, pathname } = new URL(address);
  try {
    return other.verify(pathname.split('/').at(-2) ?? '', searchParams.get('expires'), searchParams.get('signature')).versionId === 'v1';
  } catch {
    return false;
  }
}

describe('download addresses while their key is replaced', () => {
  const addresses = (settings: object) => new SignedAddresses({ ...BASE, ...settings });
  const good = (from: object, at: object) => isGoodAt(addresses(at), addresses(from).issue('v1', 'a.txt'));

  it('are good at every replica in each step: known first, then used, then the old one forgotten', () => {
    const steps = [{ URL_SIGNING_KEY: OLD }, { URL_SIGNING_KEY: OLD, URL_SIGNING_KEY_PREVIOUS: YOUNG }, { URL_SIGNING_KEY: YOUNG, URL_SIGNING_KEY_PREVIOUS: OLD }, { URL_SIGNING_KEY: YOUNG }];
    for (let step = 1; step < steps.length; step += 1) {
      const [before = {}, after = {}] = [steps[step - 1], steps[step]];
      expect([step, good(before, after), good(after, before)]).toEqual([step, true, true]);
    }
    expect(good({ URL_SIGNING_KEY: OLD }, { URL_SIGNING_KEY: YOUNG })).toBe(false);
  });

  it('stay good when a key of their own is set for the first time, and when the service token they were derived from is replaced', () => {
    expect(good({}, { URL_SIGNING_KEY: YOUNG })).toBe(true);
    expect(good({}, { SERVICE_TOKEN: 'another-service-token', SERVICE_TOKEN_PREVIOUS: BASE.SERVICE_TOKEN })).toBe(true);
    expect(good({}, { SERVICE_TOKEN: 'another-service-token' })).toBe(false);
  });
});
