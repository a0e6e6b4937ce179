import { createHash, randomBytes } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { Upload } from 'tus-js-client';
import { Api } from '../../tour/api';
import { HAS_PROC, RunningPlatform } from './running-platform';
import { makeTenant } from './tenants';

const FILES = '/filesvc/api/v1/files';
const CHUNK = 4 * 1024 ** 2;
/** After so many acknowledged chunks filesvc dies. */
const DEATHS = [2, 5];

interface Begun {
  readonly _id: string;
  readonly _status: string;
}

(HAS_PROC ? describe : describe.skip)('an upload in pieces under kill -9', () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
  });
  afterAll(() => platform?.remove());

  it('goes on where filesvc died, with nothing lost that was acknowledged', async () => {
    const tenant = await makeTenant(platform);
    const { token } = tenant.owner;
    const owner = new Api(platform.baseUrl, token);
    const bytes = randomBytes(10 * CHUNK);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    const body = { _name: 'drill.bin', _namespaces: [tenant.namespace], _uploadMeta: { _size: bytes.length, _checksum: checksum } };
    const file = await owner.post<Begun>(FILES, body, { uploadType: 'resumable', nsfilter: tenant.namespace });

    let acknowledged = 0;
    let deaths = 0;
    const resumedAt: { readonly offset: number; readonly acknowledged: number }[] = [];
    await new Promise<void>((resolve, reject) => {
      new Upload(bytes as never, {
        uploadUrl: `${platform.baseUrl}${FILES}/${file._id}?uploadType=resumable&checksum=${checksum}&nsfilter=${tenant.namespace}`,
        uploadSize: bytes.length, chunkSize: CHUNK, headers: { authorization: `Bearer ${String(token)}` }, retryDelays: Array(2_000).fill(250) as number[],
        // What a gateway answers for a service that is being started again, and for the lease of the one that died.
        onShouldRetry: (error) => [0, 423, 502, 503].includes(error.originalResponse?.getStatus() ?? 0),
        onChunkComplete: (_size, accepted) => {
          acknowledged = accepted;
          // Not where it is exactly: what goes on in the middle of a chunk is acknowledged in the middle of the next.
          if (accepted < (DEATHS[deaths] ?? Infinity) * CHUNK) return;
          deaths += 1;
          platform.kill('filesvc');
        },
        onAfterResponse: (request, response) => {
          if (request.getMethod() === 'HEAD' && response.getStatus() === 200) resumedAt.push({ offset: Number(response.getHeader('Upload-Offset')), acknowledged });
        },
        onError: reject, onSuccess: () => resolve(),
      }).start();
    });

    expect(resumedAt.length).toBeGreaterThan(DEATHS.length);
    expect(resumedAt.filter(({ offset, acknowledged: told }) => offset < told)).toEqual([]);
    await eventually(async () => expect((await owner.get<Begun>(`${FILES}/${file._id}`, { nsfilter: tenant.namespace }))._status).toBe('UPLOAD_COMPLETED'));
    const { _url } = await owner.get<{ _url: string }>(`${FILES}/${file._id}/url`, { nsfilter: tenant.namespace });
    expect(Buffer.from(await (await fetch(_url)).arrayBuffer()).equals(bytes)).toBe(true);
  }, 600_000);
});
