import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { authoredBy, newUuid } from '@twinyard/conventions';
import { LOGGER, type Logger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { Passwords } from './accounts/passwords';
import { ClientSecrets } from './clients/client-secrets';
import { ClientsRepository } from './clients/clients.repository';
import { PASSPORT_SETTINGS, type PassportSettings } from './config';
import { newUser } from './users/user.entity';
import { toEmail, UsersRepository } from './users/users.repository';

/** What `_createdById` says of records that no user made. */
const PLATFORM = 'passportsvc';

@Injectable()
export class BootstrapClient {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly clients: ClientsRepository,
    private readonly secrets: ClientSecrets,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async make(): Promise<void> {
    const { BOOTSTRAP_CLIENT_ID: id, BOOTSTRAP_CLIENT_SECRET: secret, BOOTSTRAP_CLIENT_SCOPES } = this.settings;
    if (id === undefined) return;
    if (secret === undefined) {
      this.logger.warn('BOOTSTRAP_CLIENT_ID without BOOTSTRAP_CLIENT_SECRET: no client was made');
      return;
    }
    const scopes = BOOTSTRAP_CLIENT_SCOPES.split(' ').filter((scope) => scope !== '');
    await this.unitOfWork.run((tx) => this.clients.insertIfMissing(tx, {
      id, name: id, orgId: null, scopes, trusted: scopes.includes('download-secrets'), secretHash: this.secrets.hash(secret),
      ...authoredBy(PLATFORM),
    }));
  }
}

/** The platform manager and the client that the settings name (contract 1.3), made when they are missing. */
@Injectable()
export class FirstStart implements OnModuleInit {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly users: UsersRepository,
    private readonly passwords: Passwords,
    private readonly clients: BootstrapClient,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.makeManager();
    await this.clients.make();
  }

  private async makeManager(): Promise<void> {
    const { ADMIN_EMAIL, ADMIN_PASSWORD } = this.settings;
    if (ADMIN_PASSWORD === undefined || (await this.users.findByEmail(ADMIN_EMAIL)) !== undefined) return;
    const manager = newUser({ id: newUuid(), email: toEmail(ADMIN_EMAIL), passwordHash: await this.passwords.hash(ADMIN_PASSWORD), createdById: PLATFORM });
    await this.unitOfWork.run((tx) => this.users.insertIfMissing(tx, { ...manager, firstname: 'Platform', lastname: 'Manager', platformManager: true, emailVerified: true }));
  }
}
