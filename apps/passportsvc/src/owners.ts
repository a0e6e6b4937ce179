// `node dist/apps/passportsvc/src/owners.js missing|give`, with the settings of passportsvc; see USAGE.
import { endWith, loadSettings, printLine, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { AuditLog } from './audit/audit-log';
import { AuditPendingRepository } from './audit/audit-pending.repository';
import { environment, passportSettings } from './config';
import { GrantChangeListener } from './grant-feed/grant-change-listener';
import { GrantFeedRepository } from './grant-feed/grant-feed.repository';
import { GrantFeed } from './grant-feed/grant-feed.service';
import { LivingOwners } from './ownership/living-owners';
import { OwnershipRepository } from './ownership/ownership.repository';
import { runOwnersCommand, USAGE } from './ownership/owners-command';
import { Permission } from './permissions/permission.entity';
import { PermissionsRepository } from './permissions/permissions.repository';
import { AddressHolders } from './users/address-holders';
import { UserEntity } from './users/user.entity';
import { UsersRepository } from './users/users.repository';

async function main(): Promise<number> {
  const { DATABASE_URL } = loadSettings(passportSettings, environment);
  return withDataSource({ url: DATABASE_URL, entities: [Permission, UserEntity], poolSize: 2 }, async (dataSource) => {
    const ownership = new OwnershipRepository();
    const owners = new LivingOwners(ownership);
    const unitOfWork = new TypeOrmUnitOfWork(dataSource);
    const feed = new GrantFeed(unitOfWork, new GrantFeedRepository(dataSource), new GrantChangeListener(), owners);
    const tools = { unitOfWork, feed, ownership, permissions: new PermissionsRepository(dataSource, owners), holders: new AddressHolders(new UsersRepository(dataSource)), audit: new AuditLog(new AuditPendingRepository()) };
    return await runOwnersCommand(process.argv.slice(2), tools, printLine);
  });
}

endWith(main, { usage: USAGE });
