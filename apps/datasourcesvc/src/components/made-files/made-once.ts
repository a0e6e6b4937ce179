import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type OneFileMessage, oneFileMessage } from '../../platform-client/files/one-file-message';
import type { FilePlace, FileRecord } from '../../platform-client/files-client';
import type { StepContext, StepReport } from '../step-context';
import type { StepProgress } from '../step-progress';

export type Bytes = AsyncIterable<Uint8Array>;

export interface MadeFile {
  readonly fileId: string;
  readonly fileVersionId: string;
  readonly version: number;
  readonly bytes: number;
}

/** What one try sends. */
export interface FileContent<F extends object> {
  readonly bytes: Bytes;
  /** `undefined`: nobody has said it, so filesvc looks at the bytes. */
  readonly contentType: string | undefined;
  /** Kept with what was sent, as they are once the bytes have ended. JSON. */
  readonly figures: F;
  /** How far the step is, by what was sent. */
  report(sent: number): StepReport;
}

/** Nothing is to be written: what comes in the place of a file. JSON. */
export interface NoContent<N> {
  readonly instead: N;
}

/** `over`: the bytes are not wanted any more. */
type MakeContent<F extends object, N> = (over: AbortSignal) => Promise<FileContent<F> | NoContent<N>>;

/** A message that was sent to its end: whether a version was made of it is not known yet. */
interface Sent {
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
export class MadeOnce<F extends object> {
  constructor(private readonly step: StepContext, private readonly progress: StepProgress, private readonly place: FilePlace) {}

  /** `content`: once for each try. */
  async make<N = never>(content: MakeContent<F, N>): Promise<(MadeFile & F) | N> {
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

  private async findMade(before: number): Promise<(MadeFile & F) | undefined> {
    const { sent } = this;
    if (sent.length === 0) return undefined;
    const made = await this.lookFor(sent, before);
    if (made !== undefined) return made;
    await delay(LOOK_AGAIN_MS, undefined, { signal: this.step.signal });
    return this.lookFor(sent, before);
  }

  private async lookFor(sent: readonly (Sent & F)[], before: number): Promise<(MadeFile & F) | undefined> {
    const { files } = this.step.platform;
    const file = await files.findByName(this.place);
    if (file === undefined) return undefined;
    for (const { _id, _version, _sha256 } of await files.versions(file._id)) {
      const ours = _version > before ? sent.find(({ sha256 }) => sha256 === _sha256) : undefined;
      if (ours !== undefined) return { ...ours, fileId: file._id, fileVersionId: _id, version: _version };
    }
    return undefined;
  }

  private async upload<N>(content: MakeContent<F, N>, further: (bytes: number) => void): Promise<(MadeFile & F) | N> {
    const over = new AbortController();
    try {
      const made = await content(over.signal);
      if ('instead' in made) return made.instead;
      return await this.send(made, further);
    } finally {
      // Where filesvc takes nothing, nobody reads what another has begun to send.
      over.abort();
    }
  }

  private async send(content: FileContent<F>, further: (bytes: number) => void): Promise<MadeFile & F> {
    let [bytes, reportedAt] = [0, performance.now()];
    const tell = async (sent: number) => {
      further(sent);
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      await this.step.report(content.report(sent));
    };
    const ended = async (sha256: string, size: number) => {
      bytes = size;
      await this.progress.set('sent', [...this.sent, { sha256, bytes, ...content.figures }]);
    };
    const { contentType, head, tail } = oneFileMessage(content.contentType);
    const message = messageOf({ head, tail, content: content.bytes, tell, ended });
    const file = await this.step.platform.files.tryUpload(this.place, { contentType, bytes: message });
    return { ...content.figures, ...toMade(file), bytes };
  }

  private get sent(): readonly (Sent & F)[] {
    return this.progress.get<readonly (Sent & F)[]>('sent') ?? [];
  }
}

const toMade = ({ _id, _tipId, _tipVersion }: FileRecord) => ({ fileId: _id, fileVersionId: _tipId, version: _tipVersion });

interface Message extends Pick<OneFileMessage, 'head' | 'tail'> {
  readonly content: Bytes;
  tell(bytes: number): Promise<void>;
  ended(sha256: string, bytes: number): Promise<void>;
}

async function* messageOf({ head, tail, content, tell, ended }: Message): AsyncGenerator<Uint8Array> {
  yield head;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await tell(bytes);
    yield chunk;
  }
  await ended(hash.digest('hex'), bytes);
  yield tail;
}
