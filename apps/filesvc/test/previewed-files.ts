import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { type FileBody, FILES, type FilesvcUnderTest } from './filesvc-under-test';

export interface TaskRow {
  readonly state: 'PENDING' | 'DONE' | 'NONE' | 'FAILED';
  readonly failure: string | null;
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
    const [row] = await this.filesvc.query<TaskRow>(
      `SELECT CASE WHEN preview_id IS NOT NULL THEN 'DONE' WHEN no_preview IS NULL THEN 'PENDING' WHEN no_preview = 'has nothing to show' THEN 'NONE' ELSE 'FAILED' END AS state,
         nullif(no_preview, 'has nothing to show') AS failure FROM file_version WHERE id = $1`, [file._tipId],
    );
    return row;
  }

  /** The versions whose pictures are ordered, in the order of their turns. */
  async ordered(): Promise<string[]> {
    const rows = await this.filesvc.query<{ version: string }>(`SELECT payload->>'versionId' AS version FROM job WHERE kind = 'filesvc.preview' ORDER BY position`);
    return rows.map(({ version }) => version);
  }

  /** As when its replica falls silent: the next to look takes up what is being drawn. */
  async takeAway(): Promise<void> {
    await this.filesvc.query(`UPDATE job SET state = 'READY', leased_until = NULL WHERE kind = 'filesvc.preview' AND state = 'RUNNING'`);
  }

  /** How the task ended. Who draws yields to all others: on a busy machine that is minutes. */
  ended(file: FileBody): Promise<TaskRow> {
    return eventually(async () => {
      const row = await this.task(file);
      if (row === undefined || row.state === 'PENDING') throw new Error(`it is still ${row?.state ?? 'unknown'}`);
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
