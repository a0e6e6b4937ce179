import { hkdfSync, randomBytes } from 'node:crypto';
import type { KeyCipher } from '@twinyard/envelope';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { SigningKeyEntity } from './signing-key.entity';

/** A pair of keys for tokens (ES256) and a secret for cookies. */
export async function newSigningKeys(cipher: KeyCipher, signsFrom: Date): Promise<SigningKeyEntity[]> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const cookieId = randomBytes(16).toString('base64url');
  const times = { signsFrom, createdAt: new Date() };
  return [
    { id: kid, purpose: 'token', sealed: cipher.seal(JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' }), kid), ...times },
    { id: cookieId, purpose: 'cookie', sealed: cipher.seal(randomBytes(32).toString('base64url'), cookieId), ...times },
  ];
}

/**
 * The key that secrets of clients are hashed under. Until it was kept, it was derived from `KEY_ENCRYPTION_KEY`: hashes of that
 * time must match on, so it is derived once more, from the key that the other rows are sealed under.
 */
export function clientSecretKey(cipher: KeyCipher, anyOther: SigningKeyEntity): SigningKeyEntity {
  const id = randomBytes(16).toString('base64url');
  const derived = Buffer.from(hkdfSync('sha256', cipher.keyOf(anyOther.sealed, anyOther.id), '', 'client secrets', 32));
  return { id, purpose: 'client-secret', sealed: cipher.seal(derived.toString('base64'), id), signsFrom: new Date(), createdAt: new Date() };
}
