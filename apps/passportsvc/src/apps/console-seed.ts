import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { authoredBy, CONSOLE_APP_ID, newNamespace } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { NamespacesRepository } from '../namespaces/namespaces.repository';
import type { AppEntity } from './app.entity';
import { AppsRepository } from './apps.repository';

/** What `_createdById` of records says that no user made. */
const PLATFORM = 'passportsvc';

/** The console application (contract 1.3): made on the first start, its redirect URIs kept as the settings say. */
@Injectable()
export class ConsoleSeed implements OnModuleInit {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly apps: AppsRepository,
    private readonly namespaces: NamespacesRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.seedConsole();
  }

  /** May run any number of times, and in several replicas at once. */
  async seedConsole(): Promise<void> {
    const app = consoleApp(this.settings);
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.apps.upsertConsole(tx, app))) return;
      await this.namespaces.insert(tx, { name: app.namespace, kind: 'application', ownerId: app.id, appId: app.id, orgId: null, hidden: false });
    });
  }
}

function consoleApp({ BASE_URL, CONSOLE_REDIRECT_URIS }: PassportSettings): AppEntity {
  const named = CONSOLE_REDIRECT_URIS.split(',').map((uri) => uri.trim()).filter((uri) => uri !== '');
  return {
    id: CONSOLE_APP_ID, name: 'Console', shortName: CONSOLE_APP_ID, description: 'Administration of the platform', userType: null,
    orgId: null, ownerId: null, pendingOwnerEmail: null, adminGroupId: null, namespace: newNamespace(CONSOLE_APP_ID),
    redirectUris: [...new Set([`${BASE_URL}/console/callback`, ...named])], postLogoutRedirectUris: [], authorizedOrigins: [],
    authorizedGrantTypes: ['authorization_code'], responseMode: 'both', clientSecretHash: null, whitelistedApps: [],
    firstParty: true, home: null, loginTheme: null, configuration: null,
    ...authoredBy(PLATFORM),
  };
}
