import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';

interface RunningDigest {
  readonly offset: number;
  readonly hash: Hash;
}

/** Uploads whose digests are kept; for one that is not, the bytes are read again at its end. */
const KEPT = 1_000;

/** SHA-256 of what has come so far, as long as all of it has come to this process. */
@Injectable()
export class RunningDigests {
  private readonly digests = new Map<string, RunningDigest>();

  /** To be updated with what follows `offset`; nothing, when what came before is not known here. */
  at(uploadId: string, offset: number): Hash | undefined {
    if (offset === 0) return createHash('sha256');
    const running = this.digests.get(uploadId);
    return running?.offset === offset ? running.hash.copy() : undefined;
  }

  keep(uploadId: string, offset: number, hash: Hash): void {
    this.digests.delete(uploadId);
    this.digests.set(uploadId, { offset, hash: hash.copy() });
    const [oldest] = this.digests.keys();
    if (this.digests.size > KEPT && oldest !== undefined) this.digests.delete(oldest);
  }

  forget(uploadId: string): void {
    this.digests.delete(uploadId);
  }
}
