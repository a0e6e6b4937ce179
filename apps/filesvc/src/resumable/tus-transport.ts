import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { OFFSET_STREAM } from './tus-refusal';

export const TUS_EXTENSIONS: readonly string[] = ['checksum', 'expiration', 'termination'];
export const CHECKSUM_ALGORITHMS: readonly string[] = ['sha1', 'sha256', 'sha512', 'md5'];

const FILES = /^\/filesvc\/api\/v1\/files(\/[^/]*)?(\?|$)/;

/** Bytes of an upload are left on the line for whoever keeps them; OPTIONS tells what is spoken (tus 1.0.0, "OPTIONS"). */
export function speakTus(app: NestFastifyApplication, maxSize: number): void {
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  instance.addContentTypeParser(OFFSET_STREAM, (_request, _payload, done) => done(null));
  instance.addHook('onSend', (request, reply, payload, done) => {
    if (request.method === 'OPTIONS' && FILES.test(request.url)) {
      void reply.headers({ 'Tus-Resumable': '1.0.0', 'Tus-Version': '1.0.0', 'Tus-Extension': TUS_EXTENSIONS.join(), 'Tus-Max-Size': maxSize, 'Tus-Checksum-Algorithm': CHECKSUM_ALGORITHMS.join() });
    }
    done(null, payload);
  });
}
