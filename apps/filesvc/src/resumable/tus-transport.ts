import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { QueryValues } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { isResumable } from './resumable-query';
import { OFFSET_STREAM, TUS_VERSION } from './tus-refusal';

export const TUS_EXTENSIONS: readonly string[] = ['checksum', 'expiration', 'termination'];
export const CHECKSUM_ALGORITHMS: readonly string[] = ['sha1', 'sha256', 'sha512', 'md5'];

const FILES = /^\/filesvc\/api\/v1\/files(\/[^/]*)?(\?|$)/;

/**
 * Bytes of an upload are left on the line for whoever keeps them; OPTIONS tells what is spoken (tus 1.0.0, "OPTIONS"), every answer which
 * version, refusals included, and 412 which there are ("Tus-Resumable", "Tus-Version").
 */
export function speakTus(app: NestFastifyApplication, maxSize: number): void {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser(OFFSET_STREAM, (_request, _payload, done) => done(null));
  instance.addHook('onSend', (request, reply, payload, done) => {
    const isOfFiles = FILES.test(request.url);
    if (isOfFiles && isResumable((request.query ?? {}) as QueryValues)) {
      void reply.headers({ 'Tus-Resumable': TUS_VERSION, ...(reply.statusCode === 412 && { 'Tus-Version': TUS_VERSION }) });
    }
    if (isOfFiles && request.method === 'OPTIONS') {
      void reply.headers({ 'Tus-Resumable': TUS_VERSION, 'Tus-Version': TUS_VERSION, 'Tus-Extension': TUS_EXTENSIONS.join(), 'Tus-Max-Size': maxSize, 'Tus-Checksum-Algorithm': CHECKSUM_ALGORITHMS.join() });
    }
    done(null, payload);
  });
}
