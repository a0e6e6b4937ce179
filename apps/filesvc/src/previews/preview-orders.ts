import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PreviewTasksRepository } from './preview-tasks.repository';

type Listener = () => void;

/** New versions are to get pictures: ordered in the transaction that makes them. */
@Injectable()
export class PreviewOrders {
  private readonly listeners: Listener[] = [];

  constructor(private readonly tasks: PreviewTasksRepository) {}

  /** Called for each order, shortly before it is committed. */
  onOrder(listener: Listener): void {
    this.listeners.push(listener);
  }

  async order(tx: TypeOrmTx, origin: EventOrigin, versionIds: readonly string[]): Promise<void> {
    if (versionIds.length === 0) return;
    await this.tasks.add(tx, origin, versionIds);
    for (const listener of this.listeners) listener();
  }
}
