import { randomBytes } from 'node:crypto';
import { KeyCipher } from './key-cipher';

describe('keys at rest', () => {
  const cipher = new KeyCipher(randomBytes(32).toString('base64'));

  it('open under their own name and key alone', () => {
    const sealed = cipher.seal('private', 'kid-1');
    expect(sealed).not.toContain('private');
    expect(cipher.open(sealed, 'kid-1')).toBe('private');
    expect(() => cipher.open(sealed, 'kid-2')).toThrow();
    expect(() => new KeyCipher(randomBytes(32).toString('base64')).open(sealed, 'kid-1')).toThrow('KEY_ENCRYPTION_KEY does not open kid-1');
    expect(() => cipher.open(`${sealed.slice(0, -4)}AAA=`, 'kid-1')).toThrow();
    expect(cipher.seal('private', 'kid-1')).not.toBe(sealed);
  });

  it('open under the previous key too, and are sealed under the current one', () => {
    const [old, young] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
    const sealed = new KeyCipher(old).seal('private', 'kid-1');
    const both = new KeyCipher(young, old);
    expect([both.open(sealed, 'kid-1'), both.isCurrent(sealed, 'kid-1')]).toEqual(['private', false]);
    const anew = both.seal('private', 'kid-1');
    expect([both.isCurrent(anew, 'kid-1'), new KeyCipher(young).open(anew, 'kid-1')]).toEqual([true, 'private']);
  });
});
