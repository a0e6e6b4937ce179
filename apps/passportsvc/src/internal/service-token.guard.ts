import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { unauthenticated } from '@twinyard/conventions';
import type { FastifyRequest } from 'fastify';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/** Lets in who knows `SERVICE_TOKEN`: the other services of the platform. */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  private readonly expected: Buffer;

  constructor(@Inject(PASSPORT_SETTINGS) settings: PassportSettings) {
    this.expected = digest(`Bearer ${settings.SERVICE_TOKEN}`);
  }

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (!timingSafeEqual(this.expected, digest(authorization ?? ''))) throw unauthenticated();
    return true;
  }
}

/** Equal lengths, as the comparison wants them. */
const digest = (text: string) => createHash('sha256').update(text).digest();
