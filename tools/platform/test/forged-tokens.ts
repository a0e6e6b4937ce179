import { createHmac, generateKeyPairSync, sign } from 'node:crypto';

type Claims = Record<string, unknown>;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Claims;

/** Tokens that say what a good one says and were not signed by this platform, or are none. */
export function forgedFrom(good: string): Record<string, string> {
  const [head, body, signature] = good.split('.');
  const [header, claims] = [decode(head), decode(body)];
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = (altered: Claims) => {
    const text = `${encode(header)}.${encode(altered)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const symmetric = `${encode({ ...header, alg: 'HS256' })}.${body}`;
  return {
    'a word in place of a token': 'undefined',
    'a token cut short': good.slice(0, -20),
    'a token of another signer': signed(claims),
    'an expired token': signed({ ...claims, exp: Number(claims['iat']) - 60 }),
    'an unsigned token': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'a token signed with a shared secret': `${symmetric}.${createHmac('sha256', 'secret').update(symmetric).digest('base64url')}`,
    'good claims altered under their old signature': `${head}.${encode({ ...claims, sub: 'somebody' })}.${signature}`,
  };
}
