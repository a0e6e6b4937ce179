import { createHash, timingSafeEqual } from 'node:crypto';

/** RFC 7636 says 43 to 128 characters, the specification 16 to 64: both are taken (contract 1.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{16,128}$/;

export const isCodeVerifier = (text: string): boolean => VERIFIER.test(text);

/** RFC 7636 section 4.6 with S256, the only method: BASE64URL-ENCODE(SHA256(ASCII(code_verifier))) == code_challenge */
export function answersChallenge(verifier: string, challenge: string): boolean {
  const expected = createHash('sha256').update(verifier, 'ascii').digest('base64url');
  return expected.length === challenge.length && timingSafeEqual(Buffer.from(expected), Buffer.from(challenge));
}
