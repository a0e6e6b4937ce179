import { newNamespace, newUuid } from '@twinyard/conventions';
import { DataSource } from 'typeorm';
import { AppEntity } from '../src/apps/app.entity';
import { ClientSecrets } from '../src/clients/client-secrets';
import type { PassportApp } from './passport-app';

export const APP_REDIRECT_URI = 'https://app.example.com/callback';

/** An application as an organization registers one: public and not first-party unless said otherwise. */
export async function registerApp({ app }: PassportApp, changes: Partial<AppEntity> & { readonly secret?: string } = {}): Promise<AppEntity> {
  const { secret, ...fields } = changes;
  const now = new Date();
  const entity: AppEntity = {
    id: newUuid(), name: 'Viewer', shortName: 'viewer', description: '', userType: null, orgId: null, ownerId: null, pendingOwnerEmail: null, adminGroupId: null,
    namespace: newNamespace('viewer'), redirectUris: [APP_REDIRECT_URI], postLogoutRedirectUris: [], authorizedOrigins: [], authorizedGrantTypes: ['authorization_code'],
    responseMode: 'both', clientSecretHash: secret === undefined ? null : app.get(ClientSecrets).hash(secret), whitelistedApps: [], firstParty: true,
    home: null, loginTheme: null, configuration: null, createdAt: now, updatedAt: now, createdById: 'test', updatedById: 'test', ...fields,
  };
  await app.get(DataSource).getRepository(AppEntity).insert(entity as never);
  return entity;
}
