import { freePort } from '@twinyard/testing';
import { stopReason } from './stop-reason';

const reasonAt = (baseUrl: string) => fetch(baseUrl).then(() => 'answered', (error: unknown) => stopReason(error, baseUrl));

it('a tour that cannot reach its platform says what is the matter, and what to do', async () => {
  expect(await reasonAt(`http://127.0.0.1:${await freePort()}`)).toMatch(/^nothing listens at 127\.0\.0\.1:\d+: /);
  const unknown = new TypeError('fetch failed', { cause: Object.assign(new Error('getaddrinfo ENOTFOUND twinyard.localhost'), { code: 'ENOTFOUND' }) });
  expect(stopReason(unknown, 'http://twinyard.localhost')).toContain('write "127.0.0.1 twinyard.localhost" into the hosts file');
  expect(stopReason(new Error('a step failed'), 'http://localhost:8080')).toBe('a step failed');
});
