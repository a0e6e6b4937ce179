import { Injectable } from '@nestjs/common';
import { Access, GrantSource, type RunSecret, type RunSecretsRequest, type RunSecretsResponse } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { readAnewWhenSealedAnew } from '@twinyard/envelope';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { SECRET_TYPE, type SecretEntity, secretIrn } from './secret.entity';
import { SecretValues } from './secret-values';
import { SecretsRepository } from './secrets.repository';

/**
 * Tells a service the values of secrets that a run may READ (contract 5, `rest_connector`): to the service, for calls that it makes itself, and
 * never to who started the run. What was told, and what was refused, is in the audit log before the answer goes out.
 */
@Injectable()
export class RunSecrets {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly values: SecretValues,
    private readonly grants: GrantSource,
    private readonly audit: AuditLog,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** With the rights that the run has now, within its namespaces. */
  async tell({ principal, names }: RunSecretsRequest): Promise<RunSecretsResponse> {
    const access = new Access(await this.grants.resolve(principal), principal.scopes, principal.run?.namespaces ?? []);
    const secrets: RunSecret[] = [];
    for (const name of new Set(names)) secrets.push(await readAnewWhenSealedAnew(() => this.open(principal, access, name)));
    return { secrets };
  }

  private async open(principal: Principal, access: Access, name: string): Promise<RunSecret> {
    const { rows: [found, another] } = await this.secrets.list(access.scope('READ', SECRET_TYPE), { names: [name] }, { offset: 0, pageSize: 2 });
    if (another !== undefined) return { name, verdict: 'ambiguous' };
    if (found === undefined) {
      await this.noteRefusals(principal, name);
      return { name, verdict: 'unknown' };
    }
    const value = await this.values.open(found);
    await this.note(principal, 'DOWNLOAD', found, found.namespaces.filter((namespace) => principal.run?.namespaces.includes(namespace)));
    return { name, verdict: 'told', value };
  }

  /** Where there is such a secret, its owners read who asked for it. */
  private async noteRefusals(principal: Principal, name: string): Promise<void> {
    const hidden = await this.secrets.findNamed(name, principal.run?.namespaces ?? [], undefined);
    for (const { secret, within } of hidden) await this.note(principal, 'DOWNLOAD_REFUSED', secret, within);
  }

  private note({ id, run }: Principal, action: string, secret: SecretEntity, namespace: readonly string[]): Promise<void> {
    const by = { id, address: '', requestId: '' };
    return this.unitOfWork.run((tx) => this.audit.record(tx, by, { action, irn: secretIrn(secret.id), namespace, details: { runId: run?.id ?? null } }));
  }
}
