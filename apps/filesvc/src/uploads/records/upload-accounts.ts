import { Injectable } from '@nestjs/common';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { NamespaceQuota } from '../../quota/namespace-quota';
import type { Kept, Upload } from './upload-records';

/** What comes at the end of a transaction that has made files and versions of uploads. */
@Injectable()
export class UploadAccounts {
  constructor(private readonly outbox: Outbox, private readonly quota: NamespaceQuota) {}

  /** Tells of them, and refuses (413) them where a namespace holds more now than it may. */
  async settle(tx: TypeOrmTx, kept: ReadonlyMap<Upload, Kept>): Promise<void> {
    await this.outbox.append(tx, ...[...kept.values()].flatMap(({ events }) => events));
    await this.quota.require(tx, [...kept].map(([{ blob }, { file }]) => ({ namespaces: file.namespaces, bytes: blob.size })));
  }
}
