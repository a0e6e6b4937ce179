import type { IncomingHttpHeaders } from 'node:http';

/** RFC 9110, 7.6.1: these speak of one connection only. `expect` is answered by this server itself. */
const HOP_BY_HOP = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect',
]);

/** What a caller may say about who forwarded it is not believed: this is the first hop that knows. */
const isClaimOfOrigin = (name: string) => name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');

export interface RequestOrigin {
  readonly address: string;
  readonly requestId: string;
  readonly baseUrl: URL;
  readonly hasBody: boolean;
}

export function requestHeaders(headers: IncomingHttpHeaders, origin: RequestOrigin): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !isClaimOfOrigin(name) && (origin.hasBody || name !== 'content-length'));
  return {
    ...Object.fromEntries(kept),
    'x-request-id': origin.requestId,
    'x-forwarded-for': origin.address,
    'x-forwarded-host': origin.baseUrl.host,
    'x-forwarded-proto': origin.baseUrl.protocol.replace(':', ''),
  };
}

export function responseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = String(headers.connection ?? '').toLowerCase().split(',').map((name) => name.trim());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)));
}
