import type { FileHandle } from 'node:fs/promises';
import { limitExceeded, ServiceError, unavailable } from '@twinyard/conventions';
import { ScratchFolder } from '@twinyard/service-kit';
import { SORT_DISK_BYTES, SORT_TENANT_SHARE } from '../bounds';

const PREFIX = 'twinyard-sort-';
/** Of all that pipelines of a process may write, what one may. */
const PARTS = 4;

/** The disk that the pipelines of one process sort on. */
export class SortSpace {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  private readonly mostOfTenant: number;
  private readonly folder: ScratchFolder;

  /** `mostBytes`: of all pipelines together; one of them has a quarter, and those of one tenant `tenantShare`, or as much as one of them. */
  constructor(folder?: string, private readonly mostBytes = SORT_DISK_BYTES, tenantShare = SORT_TENANT_SHARE) {
    this.folder = new ScratchFolder(PREFIX, folder);
    this.mostOfTenant = Math.max(Math.floor(mostBytes * tenantShare), this.mostOfPipeline);
  }

  private get mostOfPipeline(): number {
    return Math.floor(this.mostBytes / PARTS);
  }

  /** What one pipeline of this tenant writes. */
  share(tenant = ''): SortShare {
    return new SortShare(this, tenant, this.mostOfPipeline);
  }

  /** Errors: `unavailable` where others have it all, `too_many_requests` where others of the tenant have its share. */
  take(tenant: string, bytes: number): void {
    const held = this.takenBy.get(tenant) ?? 0;
    if (held + bytes > this.mostOfTenant) throw new ServiceError('too_many_requests', 'Other pipelines of this organization sort too much right now', { retryAfter: 1 });
    if (this.taken + bytes > this.mostBytes) throw unavailable('Other pipelines sort too much right now');
    this.taken += bytes;
    this.takenBy.set(tenant, held + bytes);
  }

  give(tenant: string, bytes: number): void {
    const left = (this.takenBy.get(tenant) ?? 0) - bytes;
    this.taken -= bytes;
    if (left > 0) this.takenBy.set(tenant, left);
    else this.takenBy.delete(tenant);
  }

  /** An empty file. Errors: `insufficient_storage`. */
  file(): Promise<FileHandle> {
    return this.folder.file();
  }
}

/** Counts what one pipeline has on disk. */
export class SortShare {
  private bytes = 0;

  constructor(private readonly space: SortSpace, private readonly tenant: string, private readonly mostBytes: number) {}

  /** Errors: `limit_exceeded`, and those of `SortSpace.take` where others have too much. */
  take(bytes: number): void {
    if (this.bytes + bytes > this.mostBytes) throw limitExceeded(`The pipeline needs more than ${this.mostBytes} bytes of disk to sort; narrow its first $match, leave out fields that nobody needs, or put $limit behind $sort`);
    this.space.take(this.tenant, bytes);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.space.give(this.tenant, bytes);
    this.bytes -= bytes;
  }

  file(): Promise<FileHandle> {
    return this.space.file();
  }
}
