import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
export const ALLOWED_HEADERS: readonly string[] = [
  'authorization', 'content-type', 'access-control-allow-origin', 'client', 'client_version', 'idempotency-key', 'if-match',
  'if-none-match', 'last-event-id', 'tus-resumable', 'upload-offset', 'upload-length', 'upload-metadata', 'upload-checksum', 'x-request-id',
];
const EXPOSED_HEADERS = ['Location', 'ETag', 'Retry-After', 'Upload-Offset', 'Upload-Length', 'Tus-Resumable', 'X-Request-Id'];

/** Knows the origins that applications register (`_authorizedOrigins`, origins of redirect URIs). */
export abstract class RegisteredOrigins {
  abstract has(origin: string): Promise<boolean>;
}

/** Contract 0.1: the origin of `BASE_URL`, those of `CORS_ORIGINS`, and those that applications register. */
export async function allowOrigins(instance: FastifyInstance, settings: CorsSettings, registered?: RegisteredOrigins): Promise<void> {
  const fixed = new Set([new URL(settings.BASE_URL).origin, ...settings.CORS_ORIGINS.split(',').map((origin) => origin.trim())]);
  const isAllowed = async (origin: string) => fixed.has('*') || fixed.has(origin) || ((await registered?.has(origin)) ?? false);
  await instance.register(cors, {
    origin: (origin, answer) => {
      if (origin === undefined) return answer(null, false);
      isAllowed(origin).then(
        (allowed) => answer(null, allowed),
        (error: Error) => answer(error, false),
      );
    },
    methods: METHODS,
    allowedHeaders: [...ALLOWED_HEADERS],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
}

export interface CorsSettings {
  readonly BASE_URL: string;
  readonly CORS_ORIGINS: string;
}
