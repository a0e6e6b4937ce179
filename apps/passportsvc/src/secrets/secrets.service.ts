import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { authoredBy, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { readAnewWhenSealedAnew } from '@twinyard/envelope';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { namespacesAfter, requireRequested } from '../namespaces/requested-namespaces';
import { SecretEntity, SECRET_TYPE, secretTarget } from './secret.entity';
import { SecretValues } from './secret-values';
import { toSecretEvent } from './secrets.events';
import { type SecretFilter, SecretsRepository } from './secrets.repository';
import { whileStale } from './stale-secret';

export interface SecretDraft {
  readonly name: string;
  readonly value: string;
  readonly description: string;
  readonly userType: string | null;
  /** Without it: those of nsfilter. */
  readonly namespaces?: readonly string[];
}

export type SecretChanges = Partial<SecretDraft>;

/**
 * Secrets as their owners see them: ciphertext. Values are sealed before the transaction, since that may ask for keys; a write that
 * meets a key that was rotated away meanwhile, or another write, is made ready again.
 */
@Injectable()
export class SecretsService {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly values: SecretValues,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async create(ctx: RequestContext, drafts: readonly SecretDraft[], keep?: KeepAnswer<SecretEntity[]>): Promise<SecretEntity[]> {
    const placed = drafts.map((draft, index) => ({ ...draft, id: newUuid(), namespaces: this.placeFor(ctx, draft, `[${index}]`) }));
    if (placed.length === 0) ctx.access.require('CREATE', secretTarget(ctx.namespaces));
    return whileStale(() => this.insert(ctx, placed, keep), ({ namespaces }) => this.values.forgetKeys(namespaces));
  }

  list(ctx: RequestContext, filter: SecretFilter, paging: Paging): Promise<Slice<SecretEntity>> {
    return this.secrets.list(ctx.access.scope('READ', SECRET_TYPE), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<SecretEntity> {
    const secret = await this.secrets.find(ctx.access.scope('READ', SECRET_TYPE), id);
    if (secret === undefined) throw notFound('secret', id);
    return secret;
  }

  update(ctx: RequestContext, id: string, changes: SecretChanges, keep?: KeepAnswer<SecretEntity>): Promise<SecretEntity> {
    return whileStale(() => readAnewWhenSealedAnew(() => this.write(ctx, id, changes, keep)), ({ namespaces }) => this.values.forgetKeys(namespaces));
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const secret = await this.get(ctx, id);
    ctx.access.require('DELETE', secretTarget(secret.namespaces, id));
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.secrets.remove(tx, id))) throw notFound('secret', id);
      await this.outbox.append(tx, resourceDeleted('passportsvc.Secret', toSecretEvent(secret), ctx.origin));
      await keep?.(tx);
    });
  }

  private placeFor(ctx: RequestContext, draft: SecretDraft, field: string): string[] {
    const namespaces = [...new Set(draft.namespaces ?? ctx.namespaces)];
    requireRequested(ctx, namespaces, `${field}._namespaces`);
    ctx.access.requireInAll('CREATE', secretTarget(namespaces));
    this.values.requirePlain(draft.value, `${field}._value`);
    return namespaces;
  }

  private async insert(ctx: RequestContext, drafts: readonly (SecretDraft & { readonly id: string; readonly namespaces: string[] })[], keep?: KeepAnswer<SecretEntity[]>): Promise<SecretEntity[]> {
    const authored = authoredBy(ctx.callerId);
    const made = await Promise.all(drafts.map(async ({ value, ...draft }) =>
      Object.assign(new SecretEntity(), draft, { revision: 1 }, authored, await this.values.seal(draft, value))));
    await this.unitOfWork.run(async (tx) => {
      for (const secret of made) await this.secrets.insert(tx, secret);
      await this.outbox.append(tx, ...made.map((secret) => resourceCreated('passportsvc.Secret', toSecretEvent(secret), ctx.origin)));
      await keep?.(tx, made);
    });
    return made;
  }

  private async write(ctx: RequestContext, id: string, { value, ...changes }: SecretChanges, keep?: KeepAnswer<SecretEntity>): Promise<SecretEntity> {
    const stored = await this.get(ctx, id);
    ctx.access.require('EDIT', secretTarget(stored.namespaces, id));
    const namespaces = changes.namespaces === undefined ? stored.namespaces : namespacesAfter(ctx, stored.namespaces, changes.namespaces);
    ctx.access.requireInAll('CREATE', secretTarget(namespaces.filter((namespace) => !stored.namespaces.includes(namespace))));
    const sealed = await this.sealedAfter(stored, namespaces, value);
    const secret = Object.assign(new SecretEntity(), stored, changes, { namespaces }, sealed, { revision: stored.revision + 1, updatedAt: new Date(), updatedById: ctx.callerId });
    await this.unitOfWork.run(async (tx) => {
      await this.secrets.update(tx, secret, sealed !== undefined);
      await this.outbox.append(tx, resourceUpdated('passportsvc.Secret', toSecretEvent(secret), ctx.origin));
      await keep?.(tx, secret);
    });
    return secret;
  }

  /** `undefined`: the ciphertext stays. Under another first namespace even the same value is sealed anew. */
  private async sealedAfter(stored: SecretEntity, namespaces: string[], value: string | undefined) {
    const isKept = value === undefined || (await this.values.keeps(stored, value));
    if (isKept && namespaces[0] === stored.namespaces[0]) return undefined;
    return this.values.seal({ id: stored.id, namespaces }, isKept ? await this.values.open(stored) : value);
  }
}

