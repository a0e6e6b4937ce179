import { newUuid, ServiceError } from '@twinyard/conventions';
import type { Lock, Locker } from '@tus/server';
import type { LineSilence } from '../uploads/line-silence';
import type { ResumableUploadsRepository, UploadLease } from './resumable-uploads.repository';
import type { UploadWriters } from './upload-writers';

const LEASE_MS = 15_000;

/** Who is to write to which upload. */
export interface UploadTurn {
  readonly uploadId: string;
  readonly callerId: string;
  readonly silence: LineSilence;
  /** Aborted when the turn is over before its time. */
  readonly end: AbortController;
}

const beingWritten = () => new ServiceError('locked', 'Somebody else writes to this upload', { retryAfter: 1 });

/**
 * Who writes to an upload, among all replicas: a lease in the database, renewed while it is held. The second writer is refused (423);
 * what a process that died has held is free when its lease has run out, and a line that is dead gives way to its own client.
 */
export class UploadLock implements Locker, Lock {
  readonly lease: UploadLease = { owner: newUuid(), leaseMs: LEASE_MS };
  /** Why it could not be had. */
  refusal: ServiceError | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private leave = (): void => undefined;

  constructor(private readonly uploads: ResumableUploadsRepository, private readonly writers: UploadWriters, private readonly turn: UploadTurn) {}

  newLock(): Lock {
    return this;
  }

  async lock(): Promise<void> {
    const { uploadId, callerId, silence, end } = this.turn;
    const isHeld = (await this.take()) || ((await this.writers.displace(uploadId, callerId)) && (await this.take()));
    if (!isHeld) throw (this.refusal = beingWritten());
    this.leave = this.writers.enter(uploadId, { callerId, silence, giveWay: () => end.abort(beingWritten()) });
    this.heartbeat = setInterval(() => void this.renew(), LEASE_MS / 3);
    this.heartbeat.unref();
  }

  async unlock(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.uploads.release(this.turn.uploadId, this.lease.owner).finally(this.leave);
  }

  private take(): Promise<boolean> {
    return this.uploads.lease(this.turn.uploadId, this.lease);
  }

  /** A database that is away for a moment costs no lease: it is asked again before it has run out. */
  private async renew(): Promise<void> {
    const isHeld = await this.uploads.renew(this.turn.uploadId, this.lease).catch(() => true);
    if (!isHeld) this.turn.end.abort(beingWritten());
  }
}

/** Asking how far an upload has come waits for nobody. */
export const NO_LOCK: Locker = { newLock: () => ({ lock: () => Promise.resolve(), unlock: () => Promise.resolve() }) };
