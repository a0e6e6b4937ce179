import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '@twinyard/events';
import { Jobs } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PREVIEW } from './preview-job';

export interface OrderedVersion {
  readonly id: string;
  /** Of its file, whose namespaces take turns by the first. */
  readonly namespaces: readonly string[];
  /** Who is told that the picture is there, and of which request. */
  readonly origin: Pick<EventOrigin, 'userId' | 'requestId'>;
}

/** Versions are to get pictures: ordered in the transaction that makes them, or lets them go. */
@Injectable()
export class PreviewOrders {
  constructor(private readonly jobs: Jobs) {}

  /** In the order given, which is that of their turns. */
  async order(tx: TypeOrmTx, versions: readonly OrderedVersion[]): Promise<void> {
    await this.jobs.enqueueAll(tx, PREVIEW, versions.map(({ id, namespaces: [namespace = ''], origin: { userId, requestId } }) => ({ payload: { versionId: id, userId, requestId }, namespace, key: id, requestId })));
  }
}
