import { createHmac } from 'node:crypto';
import { ClientSecrets } from '../clients/client-secrets';
import type { SigningKeys } from '../signing-keys/signing-keys.service';
import { ConfirmationTokens } from './confirmation-tokens';
import { SignedTokens } from './signed-tokens';

const KEY = Buffer.alloc(32, 7);
const secretsUnder = (key: Buffer) => new ClientSecrets({ clientSecretKey: key } as unknown as SigningKeys);
const tokens = new SignedTokens(secretsUnder(KEY));

describe('what the links of mails carry', () => {
  it('is read back for its own purpose, and for no other', () => {
    const token = tokens.sign('address confirmation', ['ada', 'ada@example.com', 5]);
    expect(tokens.read('address confirmation', token)).toEqual(['ada', 'ada@example.com', 5]);
    expect(tokens.read('owner invitation', token)).toBeUndefined();
    expect(new SignedTokens(secretsUnder(Buffer.alloc(32, 8))).read('address confirmation', token)).toBeUndefined();
  });

  it.each(['', '.', 'x.y', `${Buffer.from('["eve"]').toString('base64url')}.`])('is nothing that was not signed: %s', (token) => {
    expect(tokens.read('address confirmation', token)).toBeUndefined();
    const payload = Buffer.from('["eve"]').toString('base64url');
    expect(tokens.read('address confirmation', `${payload}.${createHmac('sha256', KEY).update(payload).digest('base64url')}`)).toBeUndefined();
  });

  it('confirms an address until its time is over', () => {
    const confirmations = new ConfirmationTokens(tokens);
    const proof = { userId: 'ada', email: 'ada@example.com', expiresAt: 1_000 };
    const token = confirmations.sign(proof);
    expect(confirmations.read(token, 999)).toEqual(proof);
    expect([confirmations.read(token, 1_000), confirmations.read(token, 1_001)]).toEqual([undefined, undefined]);
  });
});
