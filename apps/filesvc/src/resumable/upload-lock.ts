import { newUuid, ServiceError } from '@twinyard/conventions';
import type { Lock, Locker } from '@tus/server';
import type { ResumableUploadsRepository, UploadLease } from './resumable-uploads.repository';

const LEASE_MS = 15_000;

const beingWritten = () => new ServiceError('locked', 'Somebody else writes to this upload', { retryAfter: 1 });

/**
 * Who writes to an upload, among all replicas: a lease in the database, renewed while it is held. The second writer is refused (423);
 * what a process that died has held is free when its lease has run out.
 */
export class UploadLock implements Locker, Lock {
  readonly lease: UploadLease = { owner: newUuid(), leaseMs: LEASE_MS };
  /** Why it could not be had. */
  refusal: ServiceError | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(private readonly uploads: ResumableUploadsRepository, private readonly uploadId: string, private readonly signal: AbortController) {}

  newLock(): Lock {
    return this;
  }

  async lock(): Promise<void> {
    if (!(await this.uploads.lease(this.uploadId, this.lease))) throw (this.refusal = beingWritten());
    this.heartbeat = setInterval(() => void this.renew(), LEASE_MS / 3);
    this.heartbeat.unref();
  }

  async unlock(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.uploads.release(this.uploadId, this.lease.owner);
  }

  /** A database that is away for a moment costs no lease: it is asked again before it has run out. */
  private async renew(): Promise<void> {
    const isHeld = await this.uploads.renew(this.uploadId, this.lease).catch(() => true);
    if (!isHeld) this.signal.abort(beingWritten());
  }
}

/** Asking how far an upload has come waits for nobody. */
export const NO_LOCK: Locker = { newLock: () => ({ lock: () => Promise.resolve(), unlock: () => Promise.resolve() }) };
