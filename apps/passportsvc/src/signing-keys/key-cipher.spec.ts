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
});
