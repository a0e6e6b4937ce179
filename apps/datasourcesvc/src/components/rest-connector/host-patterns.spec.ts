import { areHostPatterns, HostPatterns } from './host-patterns';

const allows = (patterns: string, url: string) => new HostPatterns(patterns).allows(new URL(url));

describe('patterns of hosts', () => {
  it.each([
    ['api.example.com', 'https://api.example.com/x'], ['API.example.com', 'https://api.EXAMPLE.com:8443'], ['api.example.com', 'https://api.example.com./'],
    ['one.example, two.example', 'http://two.example'], ['*.example.org', 'https://a.b.example.org'], ['api-*.example.org', 'https://api-eu.example.org'], ['*', 'https://anything.example'],
    ['api.example.com:8443', 'https://api.example.com:8443'], ['api.example.com:443', 'https://api.example.com'], ['api.example.com:80', 'http://api.example.com'],
    ['127.0.0.1', 'http://2130706433/'], ['127.0.0.1', 'http://0x7f.1/'], ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080'], ['xn--exmple-cua.org', 'https://exämple.org'],
  ])('%s has %s', (patterns, url) => expect(allows(patterns, url)).toBe(true));

  it.each([
    ['', 'https://api.example.com'], ['api.example.com', 'https://apixexample.com'], ['api.example.com', 'https://api.example.com.evil.example'], ['*.example.org', 'https://example.org'],
    ['*.example.org', 'https://badexample.org'], ['example.org', 'https://a.example.org'], ['api.example.com:8443', 'https://api.example.com'], ['api.example.com:80', 'https://api.example.com'],
    ['api.example.com', 'https://api.example.com@evil.example/'], ['api.example.com', 'https://evil.example/api.example.com'], ['api.example.com', 'https://evil.example?api.example.com'],
  ])('%s has not %s', (patterns, url) => expect(allows(patterns, url)).toBe(false));

  it('are names and numbers with a port or none', () => {
    for (const text of ['', ' ', 'a.example', '*', '*.a.example:1, [::1]\n10.0.0.1:8080']) expect([text, areHostPatterns(text)]).toEqual([text, true]);
    for (const text of ['https://a.example', 'a.example/path', 'a.example:x', '(a)', 'exämple.org', 'a.example:123456', '::1']) expect([text, areHostPatterns(text)]).toEqual([text, false]);
  });
});
