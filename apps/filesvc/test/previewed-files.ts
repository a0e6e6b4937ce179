import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { type FileBody, FILES, type FilesvcUnderTest } from './filesvc-under-test';

export interface TaskRow {
  readonly state: string;
  readonly failure: string | null;
  readonly attempts: number;
}

export interface Downloaded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a test asks about previews. */
export class PreviewedFiles {
  constructor(private readonly filesvc: FilesvcUnderTest) {}

  async task(file: FileBody): Promise<TaskRow | undefined> {
    const [row] = await this.filesvc.query<TaskRow>('SELECT state, failure, attempts FROM preview_task WHERE version_id = $1', [file._tipId]);
    return row;
  }

  /** How the task ended. Who draws yields to all others: on a busy machine that is minutes. */
  ended(file: FileBody): Promise<TaskRow> {
    return eventually(async () => {
      const row = await this.task(file);
      if (row === undefined || row.state === 'PENDING') throw new Error(`it is still ${row?.state ?? 'unknown'}, attempt ${row?.attempts ?? 0}`);
      return row;
    }, { timeoutMs: 170_000 });
  }

  async address(file: FileBody): Promise<string> {
    const { body } = await this.filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`).expect(200);
    return (body as { _previewUrl: string })._previewUrl.slice('http://twinyard.test'.length);
  }

  download(path: string, headers: Record<string, string> = {}, method: 'get' | 'head' = 'get'): Promise<Downloaded> {
    return request(this.filesvc.url)[method](path).set(headers).buffer(true).parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    }) as unknown as Promise<Downloaded>;
  }

  /** The picture, once there is one. */
  async picture(file: FileBody): Promise<Downloaded> {
    const { state, failure } = await this.ended(file);
    if (state !== 'DONE') throw new Error(`${state}: ${failure ?? ''}`);
    return this.download(await this.address(file));
  }

  /** Keys of the pictures in the store. */
  async blobs(): Promise<string[]> {
    return (await this.filesvc.blobs()).filter((key) => key.startsWith('previews/'));
  }
}
