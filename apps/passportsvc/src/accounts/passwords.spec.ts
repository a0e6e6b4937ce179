import { passwordIssues, Passwords } from './passwords';

describe('passwords', () => {
  const passwords = new Passwords();

  it('are kept as argon2id and checked against it', async () => {
    const stored = await passwords.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await passwords.matches('correct horse', stored)).toBe(true);
    expect(await passwords.matches('wrong horse', stored)).toBe(false);
  });

  it('match nobody where there is no account, not even the stand-in', async () => {
    expect(await passwords.matches('nobody has this password', undefined)).toBe(false);
    expect(await passwords.matches('nobody has this password', null)).toBe(false);
  });

  it('are all checked when many come at once', async () => {
    const stored = await passwords.hash('correct horse');
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => passwords.inTurn(() => passwords.matches(index % 2 === 0 ? 'correct horse' : 'wrong', stored))));
    expect(answers).toEqual(Array.from({ length: 12 }, (_, index) => index % 2 === 0));
  });

  it('have eight to 128 characters', () => {
    expect(passwordIssues('ü'.repeat(8), '_password')).toEqual([]);
    expect(passwordIssues('short', '_password')).toEqual([{ field: '_password', issue: 'must have at least 8 characters' }]);
    expect(passwordIssues('x'.repeat(129), '_password')).toHaveLength(1);
  });
});
