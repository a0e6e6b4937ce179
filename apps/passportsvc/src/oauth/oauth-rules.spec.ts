import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { answersChallenge, isCodeVerifier } from './pkce';
import { isRegistered, isSameRedirectUri, withAndWithoutSlash } from './redirect-uris';
import { answerInBoth, inBoth, inFragment, inQuery } from './response-modes';

describe('PKCE', () => {
  it('accepts a verifier for its own challenge and for no other', () => {
    fc.assert(fc.property(fc.stringMatching(/^[A-Za-z0-9\-._~]{16,128}$/), fc.stringMatching(/^[A-Za-z0-9\-._~]{16,128}$/), (one, other) => {
      const challenge = createHash('sha256').update(one).digest('base64url');
      return isCodeVerifier(one) && answersChallenge(one, challenge) && answersChallenge(other, challenge) === (one === other);
    }));
  });

  it.each(['', 'a'.repeat(15), 'a'.repeat(129), `${'a'.repeat(20)} `, 'ä'.repeat(20), 'a'.repeat(20) + '\n'])('refuses %j as a verifier', (text) => {
    expect(isCodeVerifier(text)).toBe(false);
  });

  it('is not satisfied by the challenge itself', () => {
    const challenge = createHash('sha256').update('a'.repeat(20)).digest('base64url');
    expect(answersChallenge(challenge, challenge)).toBe(false);
  });
});

describe('redirect URIs', () => {
  it('are equal but for one trailing slash', () => {
    expect(withAndWithoutSlash(['https://a.example/cb', 'https://b.example/'])).toEqual(['https://a.example/cb', 'https://a.example/cb/', 'https://b.example/', 'https://b.example']);
    expect(isSameRedirectUri('https://a.example/cb/', 'https://a.example/cb')).toBe(true);
    expect(isSameRedirectUri('https://a.example/cb//', 'https://a.example/cb')).toBe(false);
    expect(isSameRedirectUri('https://a.example/cb', 'https://a.example/CB')).toBe(false);
  });

  it('keep a slash that ends a query: it belongs to a value', () => {
    expect(withAndWithoutSlash(['https://a.example/cb?next=/'])).toEqual(['https://a.example/cb?next=/']);
    expect(isSameRedirectUri('https://a.example/cb?next=', 'https://a.example/cb?next=/')).toBe(false);
  });

  it.each(['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://127.0.0.1', 'http://127.0.0.1/', 'http://[::1]/cb?x=1'])('of native apps come with any port: %s', (uri) => {
    const registered = withAndWithoutSlash([uri]);
    const at = (port: string) => uri.replace(/(127\.0\.0\.1|\[::1\])/, `$1${port}`);
    for (const port of ['', ':0', ':1', ':80', ':8080', ':51004', ':65535', ':00080']) expect([port, isRegistered(at(port), registered)]).toEqual([port, true]);
    for (const port of [':', ':65536', ':99999', ':123456', ':-1', ':8080:8080', ':8080@evil.example', ':8080.evil.example', ':80%30', ':８０', ':8080#x', ':8080\\x', ' ']) expect([port, isRegistered(at(port), registered)]).toEqual([port, false]);
    for (const other of [at(':8080').replace('http:', 'https:'), `${at(':8080')}x`, at(':8080').replace('cb', 'CB').replace(/:8080\/?$/, ':8080/x')]) expect([other, isRegistered(other, registered)]).toEqual([other, false]);
  });

  it.each(['http://127.0.0.1:8080/cb', 'http://localhost/cb', 'http://127.0.0.2/cb', 'http://127.1/cb', 'https://127.0.0.1/cb', 'http://[0:0:0:0:0:0:0:1]/cb', 'http://u@127.0.0.1/cb', 'http://127.0.0.1.example/cb'])('that are no loopback address without a port have the port that is registered: %s', (uri) => {
    expect(isRegistered(uri, [uri])).toBe(true);
    for (const other of [uri.replace(/(?::8080)?\/cb$/, ':9090/cb'), uri.replace(/:8080/, '').replace('/cb', ':81/cb')]) expect([other, isRegistered(other, [uri])]).toEqual([other, false]);
  });

  it('that are none, or hold a fragment, are left out', () => {
    expect(withAndWithoutSlash(['not a uri', 'https://a.example/#x'])).toEqual([]);
  });
});

describe('an answer in fragment and query', () => {
  it('keeps the query of the redirect URI and escapes values', () => {
    for (const uri of ['https://a.example/cb?flag', 'https://a.example/cb?a=%20b&c=~d', "https://a.example/cb?q='x'&r=a+b%2B", 'https://a.example/cb?', 'https://a.example/cb?a=1&', 'https://a.example/cb?code=mine', 'app:/cb?x', 'https://a.example/%7Eme/./cb', 'http://[::1]:8080/cb', 'https://A.example/cb', 'https://a.example']) {
      for (const answered of [inQuery(uri, { code: 'c', state: 's ~' }), inFragment(uri, { code: 'c', state: 's ~' }), inBoth(uri, { error: 'access_denied' })]) {
        const rest = answered.slice(uri.length);
        expect([answered.startsWith(uri), /^[?&#]?(code=c&state=s\+%7E|error=access_denied(#error=access_denied)?)$/.test(rest)]).toEqual([true, true]);
      }
    }
    expect([inQuery('https://a.example/cb?', { code: 'c' }), inQuery('https://a.example/cb?a=1&', { code: 'c' }), inQuery('https://a.example/cb?flag', {})]).toEqual(['https://a.example/cb?code=c', 'https://a.example/cb?a=1&code=c', 'https://a.example/cb?flag']);
    expect(inBoth('https://a.example/cb?x=1', { code: 'c&d', state: 'a b' })).toBe('https://a.example/cb?x=1&code=c%26d&state=a+b#code=c%26d&state=a+b');
  });

  it('has a token in the fragment alone', () => {
    const sent: string[] = [];
    answerInBoth({ redirect: (url: string) => sent.push(url), set: () => undefined } as never, 'https://a.example/cb', { access_token: 't', state: 's' });
    expect(sent).toEqual(['https://a.example/cb#access_token=t&state=s']);
  });
});
