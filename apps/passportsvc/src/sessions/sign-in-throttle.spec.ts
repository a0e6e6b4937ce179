import { accountKey, addressKey, deviceKey, waitSeconds } from './sign-in-throttle';

describe('the wait after wrong passwords', () => {
  const after = (key: string, failures: number, secondsAgo = 0) => waitSeconds([{ key, failures, secondsAgo }]);

  it('begins with the fifth, doubles, and has an end', () => {
    for (const key of [accountKey('a@example.com'), deviceKey('1')]) expect([0, 1, 4, 5, 6, 8, 13, 14, 100, 5_000].map((failures) => after(key, failures))).toEqual([0, 0, 0, 1, 2, 8, 256, 300, 300, 300]);
    expect(after(addressKey('10.0.0.1'), 100)).toBe(30);
  });

  it('runs off, and the longest of several counts', () => {
    const key = accountKey('a@example.com');
    expect([after(key, 8, 5), after(key, 8, 8), after(key, 8, 900)]).toEqual([3, 0, 0]);
    expect(waitSeconds([{ key, failures: 6, secondsAgo: 0 }, { key: addressKey('10.0.0.1'), failures: 8, secondsAgo: 0.5 }])).toBe(8);
    expect(waitSeconds([])).toBe(0);
  });

  it('is for a whole network of IPv6, and for one address of IPv4 however it is written', () => {
    expect(new Set(['2001:db8:1:2::1', '2001:db8:1:2:ffff::7', '2001:0db8:0001:0002:0:0:0:9', '2001:db8:1:2::1%eth0'].map(addressKey)).size).toBe(1);
    expect(addressKey('2001:db8:1:3::1')).not.toBe(addressKey('2001:db8:1:2::1'));
    expect([addressKey('::1'), addressKey('::ffff:10.0.0.1'), addressKey('10.0.0.1')]).toEqual(['address:0:0:0:0::/64', 'address:10.0.0.1', 'address:10.0.0.1']);
  });

  it('keeps what was typed as an address out of the database', () => {
    expect(accountKey('my password in the wrong box')).toMatch(/^account:[\w-]{43}$/);
  });
});
