import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

export interface RequestOrigin {
  /** As the first trusted hop saw it. */
  readonly address: string;
  readonly requestId: string;
}

const ORIGINS = new WeakMap<IncomingMessage, RequestOrigin>();

/** For what oidc-provider answers, and the audit log tells of: it sees the raw request alone. */
export function rememberOrigin(request: FastifyRequest): void {
  ORIGINS.set(request.raw, { address: request.ip, requestId: request.id });
}

export const originOf = (request: IncomingMessage | undefined): RequestOrigin => (request && ORIGINS.get(request)) ?? { address: '', requestId: '' };
