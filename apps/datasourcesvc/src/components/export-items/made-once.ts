import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FilePlace, FileRecord } from '../../platform-client/files-client';
import type { StepContext } from '../step-context';
import type { StepProgress } from '../step-progress';
import type { Bytes, ExportFigures } from './files/exported-file';

export interface MadeFile extends ExportFigures {
  readonly fileId: string;
  readonly fileVersionId: string;
  readonly version: number;
  readonly bytes: number;
}

/** Makes the bytes, counting in `figures` what they come to; `signal`: they are not wanted any more. */
type MakeContent = (figures: ExportFigures, signal: AbortSignal) => Promise<Bytes>;

/** A message that was sent to its end: whether a version was made of it is not known yet. */
interface Sent extends ExportFigures {
  readonly sha256: string;
  readonly bytes: number;
}

/** How long filesvc may need for a version of bytes that it has. */
const LOOK_AGAIN_MS = 2_000;
const REPORT_EVERY_MS = 2_000;

/**
 * Uploads a file whose bytes are made meanwhile, so that nothing is held of it. What was sent is written down before the message ends; so where no answer
 * came, or the worker died, the version that was made of it is found by its bytes, and no second one is made.
 */
export class MadeOnce {
  constructor(private readonly step: StepContext, private readonly progress: StepProgress, private readonly place: FilePlace & { readonly contentType: string }) {}

  /** `content`: once for each try. */
  async make(content: MakeContent): Promise<MadeFile> {
    const { files } = this.step.platform;
    const before = await this.progress.once('before', async () => ({ version: (await files.findByName(this.place))?._tipVersion ?? 0 }));
    let furthest = 0;
    return files.retrying(async (onward) => {
      const further = (bytes: number) => {
        if (bytes <= furthest) return;
        furthest = bytes;
        onward();
      };
      return (await this.findMade(before.version)) ?? this.upload(content, further);
    });
  }

  private async findMade(before: number): Promise<MadeFile | undefined> {
    const sent = this.progress.get<readonly Sent[]>('sent') ?? [];
    if (sent.length === 0) return undefined;
    const made = await this.lookFor(sent, before);
    if (made !== undefined) return made;
    await delay(LOOK_AGAIN_MS, undefined, { signal: this.step.signal });
    return this.lookFor(sent, before);
  }

  private async lookFor(sent: readonly Sent[], before: number): Promise<MadeFile | undefined> {
    const { files } = this.step.platform;
    const file = await files.findByName(this.place);
    if (file === undefined) return undefined;
    for (const { _id, _version, _sha256 } of await files.versions(file._id)) {
      const ours = _version > before ? sent.find(({ sha256 }) => sha256 === _sha256) : undefined;
      if (ours !== undefined) return { fileId: file._id, fileVersionId: _id, version: _version, rows: ours.rows, columns: ours.columns, bytes: ours.bytes };
    }
    return undefined;
  }

  private async upload(content: MakeContent, further: (bytes: number) => void): Promise<MadeFile> {
    const over = new AbortController();
    const figures: ExportFigures = { rows: 0, columns: 0 };
    let [bytes, reportedAt] = [0, performance.now()];
    const tell = async (sent: number) => {
      further(sent);
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      await this.step.report({ _done: figures.rows });
    };
    const boundary = `twinyard-${randomUUID()}`;
    const counted = async (hash: string, size: number) => {
      bytes = size;
      await this.progress.set('sent', [...(this.progress.get<readonly Sent[]>('sent') ?? []), { sha256: hash, bytes, ...figures }]);
    };
    try {
      const message = messageOf({ boundary, contentType: this.place.contentType, content: await content(figures, over.signal), tell, ended: counted });
      const file = await this.step.platform.files.tryUpload(this.place, { contentType: `multipart/form-data; boundary=${boundary}`, bytes: message });
      return { ...toMade(file), ...figures, bytes };
    } finally {
      // Where filesvc takes nothing, nobody reads what itemsvc has begun to send.
      over.abort();
    }
  }
}

const toMade = ({ _id, _tipId, _tipVersion }: FileRecord) => ({ fileId: _id, fileVersionId: _tipId, version: _tipVersion });

interface Message {
  readonly boundary: string;
  readonly contentType: string;
  readonly content: Bytes;
  tell(bytes: number): Promise<void>;
  ended(sha256: string, bytes: number): Promise<void>;
}

/** RFC 7578, of one part. */
async function* messageOf({ boundary, contentType, content, tell, ended }: Message): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="export"\r\nContent-Type: ${contentType}\r\n\r\n`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await tell(bytes);
    yield chunk;
  }
  await ended(hash.digest('hex'), bytes);
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}
