import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { LineSilence } from '../uploads/line-silence';

/** Who was cut off comes again soon, over another line, and is not patient: by default tus-js-client tries for nine seconds. */
const SILENT_MS = 4_000;

/** Whoever sends bytes of an upload. */
export interface Writer {
  readonly callerId: string;
  readonly silence: LineSilence;
  readonly giveWay: () => void;
}

interface PresentWriter {
  readonly writer: Writer;
  readonly gone: Promise<void>;
}

/**
 * Who writes to which upload in this process. A line may be dead without a word; its own client is not kept waiting for it. A writer in
 * another process is not known here, and gives way when its silence has lasted too long for anybody.
 */
@Injectable()
export class UploadWriters {
  private readonly writers = new Map<string, PresentWriter>();

  /** Tells of a writer until what is returned is called. */
  enter(uploadId: string, writer: Writer): () => void {
    let leave = (): void => undefined;
    const present = { writer, gone: new Promise<void>((resolve) => (leave = resolve)) };
    this.writers.set(uploadId, present);
    return () => {
      if (this.writers.get(uploadId) === present) this.writers.delete(uploadId);
      leave();
    };
  }

  /** Ends the caller's own writer from whom nothing has come for a while; what came is kept first. True when it is over. */
  async displace(uploadId: string, callerId: string): Promise<boolean> {
    const present = this.writers.get(uploadId);
    if (present?.writer.callerId !== callerId || !(await isSilent(present.writer.silence))) return false;
    present.writer.giveWay();
    await present.gone;
    return true;
  }
}

/** What has come while the process stood still is read first: that was not its silence. */
async function isSilent(silence: LineSilence): Promise<boolean> {
  if (silence.ms < SILENT_MS) return false;
  await setImmediate();
  await setImmediate();
  return silence.ms >= SILENT_MS;
}
