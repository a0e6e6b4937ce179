import { clientAddress } from './client-address';

describe('the address of a caller', () => {
  it('is that of the connection, whatever is claimed, where no proxy is trusted', () => {
    expect(clientAddress('203.0.113.7', '1.2.3.4', 0)).toBe('203.0.113.7');
    expect(clientAddress('::ffff:203.0.113.7', undefined, 0)).toBe('203.0.113.7');
    expect(clientAddress('2001:db8::7', undefined, 0)).toBe('2001:db8::7');
  });

  it('is the one that the outermost trusted proxy saw, whatever is claimed before it', () => {
    expect(clientAddress('10.0.0.1', '203.0.113.7', 1)).toBe('203.0.113.7');
    expect(clientAddress('10.0.0.1', '1.2.3.4, 203.0.113.7', 1)).toBe('203.0.113.7');
    expect(clientAddress('10.0.0.1', '1.2.3.4,203.0.113.7 , 10.0.0.2', 2)).toBe('203.0.113.7');
    expect(clientAddress('10.0.0.1', '::ffff:203.0.113.7', 1)).toBe('203.0.113.7');
  });

  it('is that of the connection where the proxies told nothing, or nothing that is an address', () => {
    expect(clientAddress('10.0.0.1', undefined, 1)).toBe('10.0.0.1');
    expect(clientAddress('10.0.0.1', '203.0.113.7, unknown', 1)).toBe('10.0.0.1');
    expect(clientAddress('10.0.0.1', '', 1)).toBe('10.0.0.1');
    expect(clientAddress('10.0.0.1', '203.0.113.7', 2)).toBe('203.0.113.7');
    expect(clientAddress(undefined, undefined, 0)).toBe('');
  });
});
