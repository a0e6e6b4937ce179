import type { FastifyInstance } from 'fastify';

/**
 * A server that is about to stop ends its kept connections one by one, each behind an answer that says so (RFC 9112, section 9.6): one that is closed between two requests
 * may be closed under the second. Said on the answer itself, since a library that takes it over meets no further hook; and not before the body has come, whose sender would
 * meet a reset in place of an early answer.
 */
export function endConnections(instance: FastifyInstance, isStopping: () => boolean): void {
  instance.addHook('onRequest', ({ raw: request }, { raw: answer }, done) => {
    if (isStopping()) {
      const end = () => void (answer.headersSent || answer.setHeader('Connection', 'close'));
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (Number(length) === 0 && encoding === undefined) end();
      else request.once('end', end);
    }
    done();
  });
  // What has connected is taken before the server stops to listen: the kernel resets what waits then.
  instance.addHook('preClose', (done) => void setImmediate(done));
}
