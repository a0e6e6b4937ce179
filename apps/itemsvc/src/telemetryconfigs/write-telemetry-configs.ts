import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { type NewEvent, Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { newMetadata, touched } from '../storage/authorship';
import { VersionsRepository } from '../versions/versions.repository';
import { configIrn, configTarget, configUri, newConfigTarget, type TelemetryConfig, type TelemetryConfigDraft } from './telemetry-config';
import { TelemetryConfigsRepository } from './telemetry-configs.repository';

/** Ends the durable request in the transaction of its work. */
type Finish = (tx: DocumentTx, config: TelemetryConfig) => Promise<void>;

/** One change of a config at a time, with its event. */
@Injectable()
export class WriteTelemetryConfigs {
  constructor(
    private readonly store: DocumentStore,
    private readonly configs: TelemetryConfigsRepository,
    private readonly versions: VersionsRepository,
    private readonly outbox: Outbox,
  ) {}

  async create(ctx: RequestContext, id: string, draft: TelemetryConfigDraft, finish: Finish): Promise<void> {
    const config: TelemetryConfig = { _id: id, _uri: configUri(id), _irn: configIrn(id), ...draft, _metadata: newMetadata(ctx, Date.now()) };
    await this.store.transaction(async (tx) => {
      await this.configs.insert(tx, config);
      await this.versions.addLocks(tx, [id]);
      await finish(tx, config);
      await this.outbox.append(tx, eventOf(resourceCreated, config, ctx));
    });
  }

  async update(ctx: RequestContext, id: string, draft: TelemetryConfigDraft, finish: Finish): Promise<void> {
    await this.change(id, async (tx, before) => {
      const after = this.applied(ctx, before, draft);
      await this.configs.replace(tx, before, after);
      await finish(tx, after);
      return eventOf(resourceUpdated, after, ctx);
    });
  }

  async remove(ctx: RequestContext, id: string, finish: Finish): Promise<void> {
    await this.change(id, async (tx, before) => {
      await this.configs.remove(tx, before);
      await this.versions.removeLock(tx, id);
      await finish(tx, before);
      return eventOf(resourceDeleted, before, ctx);
    });
  }

  /** The config after the change, when the caller may make it: nobody moves one to where it could not make or change it, nor takes it away from where it may not change it. */
  applied(ctx: RequestContext, config: TelemetryConfig, draft: TelemetryConfigDraft): TelemetryConfig {
    // What lies outside of nsfilter is not the request's business and stays.
    const kept = config._namespaces.filter((namespace) => !ctx.namespaces.includes(namespace));
    const { _id, _uri, _irn, _metadata } = config;
    const changed = { _id, _uri, _irn, ...draft, _namespaces: [...new Set([...draft._namespaces, ...kept])], _metadata: touched(_metadata, ctx, Date.now()) };
    ctx.access.requireInAll('CREATE', newConfigTarget(draft._namespaces.filter((namespace) => !config._namespaces.includes(namespace))));
    ctx.access.requireInAll('EDIT', { ...configTarget(config), namespaces: config._namespaces.filter((namespace) => !changed._namespaces.includes(namespace)) });
    ctx.access.require('EDIT', configTarget(changed));
    return changed;
  }

  private change(id: string, work: (tx: DocumentTx, before: TelemetryConfig) => Promise<NewEvent>): Promise<void> {
    return this.store.transaction(async (tx) => {
      await this.versions.lock(tx, [id]);
      const before = await this.configs.current(tx, id);
      if (before === undefined) throw notFound('telemetry config', id);
      await this.outbox.append(tx, await work(tx, before));
    });
  }
}

function eventOf(make: typeof resourceCreated, { _id, _irn, _name, _userType, _namespaces }: TelemetryConfig, ctx: RequestContext): NewEvent {
  return make('itemsvc.TelemetryConfig', { _id, _irn, _name, _userType, _namespaces: [..._namespaces] }, ctx.origin);
}
