import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable, type Provider } from '@nestjs/common';
import { unauthenticated } from '@twinyard/conventions';
import type { BaseSettings } from '@twinyard/service-kit';
import type { FastifyRequest } from 'fastify';

const SERVICE_TOKENS = Symbol('service tokens');

export type ServiceTokenSettings = Pick<BaseSettings, 'SERVICE_TOKEN' | 'SERVICE_TOKEN_PREVIOUS'>;

/** The tokens that `ServiceTokenGuard` takes: while one is being replaced, two. */
export const acceptedServiceTokens = ({ SERVICE_TOKEN, SERVICE_TOKEN_PREVIOUS }: ServiceTokenSettings): Provider => ({
  provide: SERVICE_TOKENS,
  useValue: SERVICE_TOKEN_PREVIOUS === undefined ? [SERVICE_TOKEN] : [SERVICE_TOKEN, SERVICE_TOKEN_PREVIOUS],
});

/** Lets in who knows the platform's service token: its other services. For routes below `/internal`, which the gateway does not route. */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  private readonly accepted: readonly Buffer[];

  constructor(@Inject(SERVICE_TOKENS) tokens: readonly string[]) {
    this.accepted = tokens.map((token) => digest(`Bearer ${token}`));
  }

  canActivate(context: ExecutionContext): boolean {
    const given = digest(context.switchToHttp().getRequest<FastifyRequest>().headers.authorization ?? '');
    if (!this.accepted.some((expected) => timingSafeEqual(expected, given))) throw unauthenticated();
    return true;
  }
}

/** Equal lengths, as the comparison wants them. */
const digest = (text: string) => createHash('sha256').update(text).digest();
