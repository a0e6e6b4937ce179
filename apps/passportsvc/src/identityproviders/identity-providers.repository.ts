import { Injectable } from '@nestjs/common';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { brokenConstraint, isUniqueViolation, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { domainOf, IdentityProviderEntity } from './identity-provider.entity';

@Injectable()
export class IdentityProvidersRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(orgId: string, paging: Paging): Promise<Slice<IdentityProviderEntity>> {
    const query = this.providers.createQueryBuilder('provider').where('provider.org_id = :orgId', { orgId });
    return sliceOf(query, paging, ['position']);
  }

  async findIn(orgId: string, id: string): Promise<IdentityProviderEntity | undefined> {
    return isUuid(id) ? ((await this.providers.findOneBy({ id, orgId })) ?? undefined) : undefined;
  }

  /** For a sign-in, whoever is at it. */
  async find(id: string): Promise<IdentityProviderEntity | undefined> {
    return isUuid(id) ? ((await this.providers.findOneBy({ id })) ?? undefined) : undefined;
  }

  /** Those of the organization that an application belongs to. */
  async listForApp(appId: string, limit: number): Promise<IdentityProviderEntity[]> {
    return this.providers
      .createQueryBuilder('provider')
      .where('provider.org_id = (SELECT app.org_id FROM app WHERE app.id = :appId)', { appId })
      .orderBy('provider.position')
      .limit(limit)
      .getMany();
  }

  async isForApp(appId: string, id: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(
      'SELECT EXISTS (SELECT FROM app JOIN identity_provider p ON p.org_id = app.org_id WHERE app.id = $1 AND p.id = $2) AS found', [appId, id],
    );
    return row?.found === true;
  }

  /** The trusted one that a domain of addresses belongs to. */
  async findByDomain(domain: string): Promise<IdentityProviderEntity | undefined> {
    const query = this.providers.createQueryBuilder('provider').where('provider.id = (SELECT d.provider_id FROM identity_provider_domain d WHERE d.domain = :domain)', { domain });
    return (await query.getOne()) ?? undefined;
  }

  /** Whether somebody can sign in through one: connected, of a trusted domain, or made by SCIM of an organization that has one. */
  async vouchFor({ id, email }: { readonly id: string; readonly email: string }): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(
      `SELECT EXISTS (SELECT FROM user_identity WHERE user_id = $1) OR EXISTS (SELECT FROM identity_provider_domain WHERE domain = $2)
           OR EXISTS (SELECT FROM scim_user s JOIN identity_provider p ON p.org_id = s.org_id WHERE s.user_id = $1) AS found`,
      [id, domainOf(email)],
    );
    return row?.found === true;
  }

  async hasDomains(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>('SELECT EXISTS (SELECT FROM identity_provider_domain) AS found');
    return row?.found === true;
  }

  /** @throws ServiceError `conflict` when its name, or a domain of a trusted one, is taken. */
  async insert(tx: TypeOrmTx, provider: IdentityProviderEntity): Promise<void> {
    await withoutClash(provider, () => tx.manager.insert(IdentityProviderEntity, provider));
    await this.writeDomains(tx, provider);
  }

  /** @throws ServiceError as `insert` does. False when it is gone. */
  async update(tx: TypeOrmTx, provider: IdentityProviderEntity): Promise<boolean> {
    const { id, ...changes } = provider;
    const { affected } = await withoutClash(provider, () => tx.manager.update(IdentityProviderEntity, { id }, changes));
    if (affected === 1) await this.writeDomains(tx, provider);
    return affected === 1;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.manager.delete(IdentityProviderEntity, { id })).affected === 1;
  }

  private async writeDomains(tx: TypeOrmTx, { id, trusted, domains }: IdentityProviderEntity): Promise<void> {
    await tx.query('DELETE FROM identity_provider_domain WHERE provider_id = $1', [id]);
    if (!trusted || domains.length === 0) return;
    const taken = await tx.query<{ domain: string }>(
      `WITH written AS (
         INSERT INTO identity_provider_domain (domain, provider_id) SELECT domain, $1 FROM unnest($2::text[]) domain ORDER BY domain
         ON CONFLICT DO NOTHING RETURNING domain)
       SELECT domain FROM unnest($2::text[]) domain EXCEPT SELECT domain FROM written`,
      [id, domains],
    );
    if (taken.length > 0) throw conflict(`Another trusted identity provider is for ${taken.map(({ domain }) => domain).join(', ')}`, [{ field: '_domains', issue: 'is taken' }]);
  }

  private get providers() {
    return this.dataSource.getRepository(IdentityProviderEntity);
  }
}

async function withoutClash<T>({ name }: IdentityProviderEntity, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isNameTaken = isUniqueViolation(error) && brokenConstraint(error) === 'identity_provider_name';
    throw isNameTaken ? conflict(`The organization has an identity provider ${JSON.stringify(name)} already`) : error;
  }
}
