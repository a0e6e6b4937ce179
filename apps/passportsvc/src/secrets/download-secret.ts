import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { forbidden, invalidField, notFound } from '@twinyard/conventions';
import { readAnewWhenSealedAnew } from '@twinyard/envelope';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { ClientsRepository } from '../clients/clients.repository';
import { type SecretEntity, secretIrn } from './secret.entity';
import { SecretValues } from './secret-values';
import { SecretsRepository } from './secrets.repository';

export const DOWNLOAD_SCOPE = 'download-secrets';

export interface OpenedSecret {
  readonly secret: SecretEntity;
  readonly value: string;
}

/**
 * Tells a program the value of a secret (contract 1.1): a trusted client with the scope `download-secrets` may ask in every namespace, one
 * of an organization only in that organization's. Grants count for nothing here. What was told, and what was refused, is in the audit log
 * of the namespace before the answer goes out.
 */
@Injectable()
export class DownloadSecret {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly values: SecretValues,
    private readonly clients: ClientsRepository,
    private readonly audit: AuditLog,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  run(ctx: RequestContext, name: string, namespaces: readonly string[]): Promise<OpenedSecret> {
    return readAnewWhenSealedAnew(() => this.open(ctx, name, namespaces));
  }

  private async open(ctx: RequestContext, name: string, namespaces: readonly string[]): Promise<OpenedSecret> {
    const client = await this.trustedClient(ctx);
    if (client === undefined) {
      await this.noteRefusals(ctx, name, namespaces);
      throw forbidden(`Only a trusted client whose token has the scope ${DOWNLOAD_SCOPE} may download secrets`);
    }
    const [found, another] = await this.secrets.findNamed(name, namespaces, client.orgId ?? undefined);
    if (another !== undefined) throw invalidField('nsfilter', `holds several secrets ${JSON.stringify(name)}: name one namespace`);
    if (found === undefined) {
      await this.noteRefusals(ctx, name, namespaces);
      throw notFound('secret', name);
    }
    const value = await this.values.open(found.secret);
    await this.note(ctx, 'DOWNLOAD', found);
    return { secret: found.secret, value };
  }

  private async trustedClient({ principal }: RequestContext) {
    if (principal.type !== 'client' || !principal.scopes.includes(DOWNLOAD_SCOPE)) return undefined;
    const client = await this.clients.findById(principal.id);
    return client?.trusted === true ? client : undefined;
  }

  /** Where there is such a secret, its owners read who asked for it. */
  private async noteRefusals(ctx: RequestContext, name: string, namespaces: readonly string[]): Promise<void> {
    for (const hidden of await this.secrets.findNamed(name, namespaces, undefined)) await this.note(ctx, 'DOWNLOAD_REFUSED', hidden);
  }

  private note(ctx: RequestContext, action: string, { secret, within }: { readonly secret: SecretEntity; readonly within: readonly string[] }): Promise<void> {
    return this.unitOfWork.run((tx) => this.audit.record(tx, ctx, { action, irn: secretIrn(secret.id), namespace: within }));
  }
}
