import { Inject, Injectable } from '@nestjs/common';
import { SERVICES } from '@twinyard/conventions';
import { OnEvent, type ResourceEvent } from '@twinyard/events';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { PurgesRepository } from './purges.repository';

type Emptied = `${(typeof SERVICES)[number]}.Namespace`;

/** Hears from every service that it keeps nothing of a purged namespace any more, and ends the purge with the last of them. */
@Injectable()
export class PurgeOutcomes {
  constructor(
    private readonly purges: PurgesRepository,
    private readonly audit: AuditLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @OnEvent(
    'passportsvc.Namespace', 'itemsvc.Namespace', 'filesvc.Namespace', 'metricsvc.Namespace', 'datasourcesvc.Namespace', 'aisvc.Namespace', 'notificationsvc.Namespace',
  )
  async note(tx: TypeOrmTx, { resource, requestId }: ResourceEvent<Emptied>): Promise<void> {
    const service = resource.type.slice(0, resource.type.indexOf('.'));
    const purge = await this.purges.noteDone(tx, resource._id, service, requestId);
    if (purge === undefined) return;
    const by = { id: purge.askedById, address: '', requestId };
    const fact = { irn: purge.irn, namespace: purge.parentNamespace };
    await this.audit.record(tx, by, { ...fact, action: 'PURGE', details: { service, removed: resource._removed } });
    if (SERVICES.some((name) => !purge.doneBy.includes(name))) return;
    await this.purges.end(tx, purge.namespace);
    await this.audit.record(tx, by, { ...fact, action: 'PURGED' });
    this.logger.info({ namespace: purge.namespace }, 'purged in every service');
  }
}
