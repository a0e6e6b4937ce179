import { MetricsRegistry } from '@twinyard/service-kit';
import { passwordIssues, Passwords } from './passwords';

describe('passwords', () => {
  const passwords = new Passwords(new MetricsRegistry());

  it("are kept as argon2id with OWASP's parameters and checked against it", async () => {
    const stored = await passwords.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches('correct horse', stored)).toBe(true);
    expect(await passwords.matches('wrong horse', stored)).toBe(false);
  });

  it('match nobody where there is no account, not even the stand-in', async () => {
    expect(await passwords.matches('nobody has this password', undefined)).toBe(false);
    expect(await passwords.matches('nobody has this password', null)).toBe(false);
  });

  it('are the same however a keyboard writes their characters', async () => {
    expect(await passwords.matches('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait'))).toBe(true);
  });

  it('know a hash that was made with other parameters', async () => {
    expect(passwords.isOutdated(await passwords.hash('correct horse'))).toBe(false);
    expect(passwords.isOutdated('$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b')).toBe(true);
  });

  it('are all checked when many come at once, a few at a time, and no more wait than can be served', async () => {
    const stored = await passwords.hash('correct horse');
    let [running, most] = [0, 0];
    const check = (index: number) => passwords.inTurn(async () => {
      running += 1;
      most = Math.max(most, running);
      const answer = await passwords.matches(index % 2 === 0 ? 'correct horse' : 'wrong', stored);
      running -= 1;
      return answer;
    });
    expect(await Promise.all(Array.from({ length: 12 }, (_, index) => check(index)))).toEqual(Array.from({ length: 12 }, (_, index) => index % 2 === 0));
    expect(most).toBeLessThanOrEqual(3);

    const crowd = await Promise.allSettled(Array.from({ length: 220 }, () => passwords.inTurn(() => new Promise((resolve) => setImmediate(resolve)))));
    const refused = crowd.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string; retryAfter: number }] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ code: 'unavailable', retryAfter: 2 });
  });

  it('have eight to 128 characters of any kind', () => {
    expect(passwordIssues('ü'.repeat(4) + 'wxyz', '_password')).toEqual([]);
    expect(passwordIssues('all lower case and spaces, sixty-four characters or a few more than that', '_password')).toEqual([]);
    expect(passwordIssues('short', '_password')).toEqual([{ field: '_password', issue: 'must have at least 8 characters' }]);
    expect(passwordIssues('x'.repeat(129), '_password')).toHaveLength(1);
  });

  it.each([
    'password', 'Password1', 'P@ssw0rd123!', '!!welcome!!', 'qwertyuiop', '1qaz2wsx', '12345678', '87654321', 'aaaaaaaa', '12121212', 'abcabcabc', 'iloveyou2',
    'Sommer2024'.replace('Sommer', 'Summer'), 'Twinyard2026', 'letmein123', 'superman', 'zxcvbnm123', 'passpass', '123qwerty123', 'asdfghjkl',
  ])('are refused when guessers try them first: %s', (password) => {
    expect(passwordIssues(password, '_password')).toEqual([{ field: '_password', issue: 'is one of the passwords that are tried first' }]);
  });

  it.each(['correct horse', 'long enough', 'kettle-harbour', 'mypasswordisbetter', 'Tr0ub4dor&3', 'zwölf Boxkämpfer', '7391 0264 85'])('are taken when they only look simple: %s', (password) => {
    expect(passwordIssues(password, '_password')).toEqual([]);
  });

  it('are not the e-mail address, nor its first part', () => {
    for (const password of ['Ada.Lovelace@example.com', 'ada.lovelace']) expect(passwordIssues(password, '_password', 'ada.lovelace@example.com')).toHaveLength(1);
  });
});
