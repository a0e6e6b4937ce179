import { isIPv6 } from 'node:net';

/** Who is counted as one caller by an address: of IPv6, whose owners have 2^64 of them in one household or server, the /64. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.split('%')[0]?.split('::') ?? [];
  const groups = before.split(':').filter((group) => group !== '');
  const rest = after === undefined ? [] : after.split(':').filter((group) => group !== '');
  const missing = Array.from({ length: Math.max(8 - groups.length - rest.length, 0) }, () => '0');
  const whole = after === undefined ? groups : [...groups, ...missing, ...rest];
  return `${whole.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
