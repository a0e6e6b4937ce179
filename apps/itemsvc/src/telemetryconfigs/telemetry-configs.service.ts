import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LaterWork, type Outcome, type RequestContext } from '@twinyard/auth';
import { type Action, newObjectId, notFound, type Page, type QueryValues, toPage } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import type { FinishRequest } from '@twinyard/jobs';
import { parseListQuery } from '../storage/list-query';
import { CONFIG_TYPE, configTarget, newConfigTarget, type TelemetryConfig, type TelemetryConfigDraft } from './telemetry-config';
import { parseTelemetryConfig } from './telemetry-config.parse';
import { TelemetryConfigsRepository } from './telemetry-configs.repository';
import { WriteTelemetryConfigs } from './write-telemetry-configs';

const KINDS = { create: 'telemetryconfigs.create', update: 'telemetryconfigs.update', remove: 'telemetryconfigs.remove' } as const;

interface StoredCreate {
  readonly id: string;
  readonly draft: TelemetryConfigDraft;
}

/** Writes are answered with 202 (contract 2.7); faults and missing rights are told at once, and rights are asked for again when it is done. */
@Injectable()
export class TelemetryConfigsService implements OnModuleInit {
  constructor(
    private readonly configs: TelemetryConfigsRepository,
    private readonly writes: WriteTelemetryConfigs,
    private readonly later: LaterWork,
  ) {}

  onModuleInit(): void {
    this.later.register<StoredCreate>(KINDS.create, (ctx, { id, draft }, finish) => this.createLater(ctx, id, draft, finish));
    this.later.register<StoredCreate>(KINDS.update, (ctx, { id, draft }, finish) => this.updateLater(ctx, id, draft, finish));
    this.later.register<{ readonly id: string }>(KINDS.remove, (ctx, { id }, finish) => this.removeLater(ctx, id, finish));
  }

  async list(ctx: RequestContext, query: QueryValues): Promise<Page<StoredDocument>> {
    const wanted = parseListQuery(ctx, query);
    return toPage(await this.configs.list(ctx.access.scope('READ', CONFIG_TYPE), wanted), wanted.paging, (row) => row);
  }

  get(ctx: RequestContext, id: string): Promise<TelemetryConfig> {
    return this.reached(ctx, id, 'READ');
  }

  async create(ctx: RequestContext, body: unknown): Promise<Outcome> {
    const draft = parseTelemetryConfig(body, ctx.namespaces);
    ctx.access.requireInAll('CREATE', newConfigTarget(draft._namespaces));
    return this.later.accept(ctx, KINDS.create, { id: newObjectId(), draft } satisfies StoredCreate);
  }

  async update(ctx: RequestContext, id: string, body: unknown): Promise<Outcome> {
    const config = await this.reached(ctx, id, 'EDIT');
    const draft = parseTelemetryConfig(body, ctx.namespaces);
    this.writes.applied(ctx, config, draft);
    return this.later.accept(ctx, KINDS.update, { id, draft } satisfies StoredCreate);
  }

  async remove(ctx: RequestContext, id: string): Promise<Outcome> {
    await this.reached(ctx, id, 'DELETE');
    return this.later.accept(ctx, KINDS.remove, { id });
  }

  private async createLater(ctx: RequestContext, id: string, draft: TelemetryConfigDraft, finish: FinishRequest): Promise<void> {
    ctx.access.requireInAll('CREATE', newConfigTarget(draft._namespaces));
    await this.writes.create(ctx, id, draft, (tx, body) => finish(tx, { status: 201, body }));
  }

  private async updateLater(ctx: RequestContext, id: string, draft: TelemetryConfigDraft, finish: FinishRequest): Promise<void> {
    await this.reached(ctx, id, 'EDIT');
    await this.writes.update(ctx, id, draft, (tx, body) => finish(tx, { status: 200, body }));
  }

  private async removeLater(ctx: RequestContext, id: string, finish: FinishRequest): Promise<void> {
    await this.reached(ctx, id, 'DELETE');
    await this.writes.remove(ctx, id, (tx) => finish(tx, { status: 204 }));
  }

  /** What the caller may neither act on nor READ: 404; may READ only: 403. */
  private async reached(ctx: RequestContext, id: string, action: Action): Promise<TelemetryConfig> {
    const scopes = [...new Set<Action>(['READ', action])].map((one) => ctx.access.scope(one, CONFIG_TYPE));
    const config = await this.configs.find(scopes, id);
    if (config === undefined) throw notFound('telemetry config', id);
    ctx.access.require(action, configTarget(config));
    return config;
  }
}
