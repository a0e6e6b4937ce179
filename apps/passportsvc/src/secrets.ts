// `node dist/apps/passportsvc/src/secrets.js rotate`, with the settings of passportsvc; see USAGE.
import { DataKeys, Envelope, KeyCipher } from '@twinyard/envelope';
import { endWith, loadSettings, printLine, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { AuditLog } from './audit/audit-log';
import { AuditPendingRepository } from './audit/audit-pending.repository';
import { environment, passportSettings } from './config';
import { DataKeyStoreAdapter } from './encryption/data-key-store.adapter';
import { secretRotation } from './secrets/secret-rotation';
import { runSecretsCommand, USAGE } from './secrets/secrets-command';
import { SealedSecrets } from './secrets/sealed-secrets';
import { SealedSecretsRepository } from './secrets/sealed-secrets.repository';

async function main(): Promise<number> {
  const { DATABASE_URL, KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS } = loadSettings(passportSettings, environment);
  return withDataSource({ url: DATABASE_URL }, async (dataSource) => {
    const unitOfWork = new TypeOrmUnitOfWork(dataSource);
    const repository = new SealedSecretsRepository(dataSource);
    const envelope = new Envelope(new DataKeys(unitOfWork, new DataKeyStoreAdapter(dataSource), new KeyCipher(KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS)));
    const rotation = secretRotation({ unitOfWork, envelope, secrets: new SealedSecrets(unitOfWork, repository, envelope), audit: new AuditLog(new AuditPendingRepository()) });
    return await runSecretsCommand(process.argv.slice(2), rotation, repository, printLine);
  });
}

endWith(main, { usage: USAGE });
