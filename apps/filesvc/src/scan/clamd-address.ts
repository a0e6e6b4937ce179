import type { ClamdAddress } from './clamd.adapter';

const HOST_AND_PORT = /^(?:\[([0-9a-f:]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i;

/** `host:port`, `[IPv6]:port`, or the absolute path of a socket. */
export function isClamdAddress(text: string): boolean {
  const port = Number(HOST_AND_PORT.exec(text)?.[3] ?? 0);
  return (text.startsWith('/') && text.length > 1) || (port > 0 && port < 65_536);
}

export function clamdAddress(text: string): ClamdAddress {
  if (text.startsWith('/')) return { path: text };
  const [, ipv6, host, port] = HOST_AND_PORT.exec(text) ?? [];
  return { host: ipv6 ?? host ?? '', port: Number(port) };
}
