import { onEngine } from '@twinyard/testing';
import { startS3Process } from './s3-process';
import { TlsServer } from './tls-server';

for (const engine of ['versitygw', 'minio'] as const) {
  onEngine(engine, () => {
    describe('an S3 over TLS', () => {
      let server: TlsServer;
      beforeAll(async () => {
        server = await TlsServer.start(engine);
      });
      afterAll(() => server?.stop());

      it.each([['path', 'localhost', true], ['host', 's3.test', false]])('is reached in %s style by who trusts its authority', async (_style, host, pathStyle) => {
        const { said } = await startS3Process(server.options(host, pathStyle), 'round-trip', { NODE_EXTRA_CA_CERTS: server.authority });
        const expectedHost = pathStyle ? `localhost:${server.port}` : `a-bucket.s3.test:${server.port}`;
        expect(said).toEqual({ read: 'there and back', host: expectedHost, presigned: 'there and back' });
      });

      it('is not spoken to by who does not', async () => {
        const { said } = await startS3Process(server.options('localhost', true), 'round-trip', { NODE_EXTRA_CA_CERTS: undefined });
        expect(said).toMatchObject({ error: expect.stringContaining('cannot be reached'), cause: expect.stringMatching(/CERT|SIGNATURE/) });
      });
    });
  });
}
