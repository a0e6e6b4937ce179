import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Address of the caller. Each proxy puts the address that it saw behind those that it was told: with `trustedProxies` of our own in
 * front of us, the one that the outermost of them saw stands so far from the end. What stands before it is anybody's claim.
 */
export function clientAddress(socketAddress: string | undefined, forwardedFor: string | undefined, trustedProxies: number): string {
  const own = withoutMapping(socketAddress ?? '');
  if (trustedProxies === 0 || forwardedFor === undefined) return own;
  const seen = forwardedFor.split(',').map((text) => withoutMapping(text.trim()));
  const address = seen.at(-trustedProxies) ?? seen[0] ?? '';
  return isIP(address) === 0 ? own : address;
}

/** An IPv4 address that came in through an IPv6 socket (RFC 4291, 2.5.5.2). */
const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

export const addressOf = (request: FastifyRequest, trustedProxies: number): string =>
  clientAddress(request.raw.socket.remoteAddress, trustedProxies === 0 ? undefined : forwardedForOf(request), trustedProxies);

/** A header that comes several times is one list (RFC 9110, 5.3). */
const forwardedForOf = ({ headers }: FastifyRequest) => [headers['x-forwarded-for'] ?? []].flat().join(',') || undefined;
