import { createCipheriv, randomBytes } from 'node:crypto';
import { KeyCipher } from './key-cipher';

const newKey = () => randomBytes(32).toString('base64');

/** As rows were written before ciphertexts named their key. */
function sealedInFirstFormat(key: string, text: string, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

describe('keys at rest', () => {
  const key = newKey();
  const cipher = new KeyCipher(key);

  it('open under their own name and key alone', () => {
    const sealed = cipher.seal('private', 'kid-1');
    expect(sealed).not.toContain('private');
    expect(cipher.open(sealed, 'kid-1')).toBe('private');
    expect(() => cipher.open(sealed, 'kid-2')).toThrow();
    expect(() => new KeyCipher(newKey()).open(sealed, 'kid-1')).toThrow('KEY_ENCRYPTION_KEY does not open kid-1');
    expect(cipher.seal('private', 'kid-1')).not.toBe(sealed);
  });

  it('do not open when any bit was changed', () => {
    const sealed = cipher.seal('private', 'kid-1');
    const [version, id, payload] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(payload, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => cipher.open(`${version}.${id}.${changed.toString('base64url')}`, 'kid-1')).toThrow('does not open');
    }
    for (const broken of ['', 'k1', 'k1..', `k2.${id}.${payload}`, `k1.${id}.`, `k1.${id}.${payload.slice(0, 20)}`, payload]) {
      expect(() => cipher.open(broken, 'kid-1')).toThrow('does not open');
    }
  });

  it('open under the previous key too, and are sealed under the current one', () => {
    const [old, young] = [newKey(), newKey()];
    const sealed = new KeyCipher(old).seal('private', 'kid-1');
    const both = new KeyCipher(young, old);
    expect([both.open(sealed, 'kid-1'), both.isCurrent(sealed, 'kid-1')]).toEqual(['private', false]);
    const anew = both.resealed(sealed, 'kid-1') as string;
    expect([both.isCurrent(anew, 'kid-1'), new KeyCipher(young).open(anew, 'kid-1')]).toEqual([true, 'private']);
    expect(both.resealed(anew, 'kid-1')).toBeUndefined();
  });

  it('open in the format that did not name the key, and are brought into that which does', () => {
    const sealed = sealedInFirstFormat(key, 'private', 'kid-1');
    expect([cipher.open(sealed, 'kid-1'), cipher.isCurrent(sealed, 'kid-1')]).toEqual(['private', false]);
    expect(cipher.keyOf(sealed, 'kid-1')).toEqual(Buffer.from(key, 'base64'));
    expect(() => cipher.open(sealed, 'kid-2')).toThrow('does not open');
    expect(cipher.open(cipher.resealed(sealed, 'kid-1') as string, 'kid-1')).toBe('private');
  });

  it('keep their keys from whoever prints them', () => {
    expect(JSON.stringify(cipher.seal('x', 'y'))).not.toContain(key);
    expect(() => cipher.open('nonsense', 'kid-1')).toThrow(expect.objectContaining({ message: expect.not.stringContaining('nonsense') }));
  });
});
