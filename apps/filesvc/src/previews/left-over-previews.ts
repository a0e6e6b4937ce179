import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PreviewOrders } from './preview-orders';
import { PreviewsRepository } from './previews.repository';

const EVERY_MS = 60_000;
const BATCH = 500;

interface LeftOver {
  readonly versionId: string;
  readonly namespaces: readonly string[];
  readonly state: 'PENDING' | 'DONE' | 'NONE' | 'FAILED';
  readonly failure: string | null;
  readonly userId: string;
  readonly requestId: string;
}

/** What is over there, or due and in nobody's hands. */
const TAKE = `
  WITH taken AS (
    DELETE FROM preview_task WHERE version_id IN (
      SELECT version_id FROM preview_task WHERE state <> 'PENDING' OR due_at <= now() ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )
  SELECT version_id AS "versionId", namespaces, state, failure, user_id AS "userId", request_id AS "requestId"
  FROM taken JOIN file_version ON file_version.id = version_id JOIN file ON file.id = file_id ORDER BY due_at`;

/** Orders that replicas of the release before write into a table of their own. To go with that table, in the next release. */
@Injectable()
export class LeftOverPreviews implements OnModuleInit {
  constructor(
    private readonly schedules: Schedules,
    private readonly orders: PreviewOrders,
    private readonly previews: PreviewsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.schedules.every('filesvc.left-over-previews', { everyMs: EVERY_MS, atStart: true }, (signal) => this.adopt(signal));
  }

  async adopt(signal?: AbortSignal): Promise<void> {
    for (let taken = BATCH; taken === BATCH && signal?.aborted !== true; ) taken = await this.unitOfWork.run((tx) => this.adoptBatch(tx));
  }

  private async adoptBatch(tx: TypeOrmTx): Promise<number> {
    const left = await tx.query<LeftOver>(TAKE);
    for (const { versionId, namespaces, userId, requestId } of left.filter(({ state }) => state === 'PENDING')) {
      await this.orders.order(tx, [{ id: versionId, namespaces, origin: { userId, requestId } }]);
    }
    const ended = left.filter(({ state }) => state === 'NONE' || state === 'FAILED');
    if (ended.length > 0) await this.previews.noteNone(tx, ended.map(({ versionId, failure }) => ({ versionId, why: failure ?? 'has nothing to show' })));
    return left.length;
  }
}
