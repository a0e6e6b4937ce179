// `node dist/apps/passportsvc/src/keys.js list|rotate|remove|reseal`, with the settings of passportsvc; see USAGE.
import { DataKeys, KeyCipher } from '@twinyard/envelope';
import { endWith, loadSettings, printLine, type TypeOrmTx, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { AuditLog } from './audit/audit-log';
import { AuditPendingRepository } from './audit/audit-pending.repository';
import { environment, passportSettings } from './config';
import { DataKeyStoreAdapter } from './encryption/data-key-store.adapter';
import { OPERATOR } from './encryption/operator';
import { SealedColumnsRepository } from './encryption/sealed-columns.repository';
import { runKeysCommand, USAGE } from './signing-keys/keys-command';
import { SigningKeyEntity } from './signing-keys/signing-key.entity';
import { SigningKeysRepository } from './signing-keys/signing-keys.repository';
import { type KeysTold, SigningKeys } from './signing-keys/signing-keys.service';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL, entities: [SigningKeyEntity] }, async (dataSource) => {
    const audit = new AuditLog(new AuditPendingRepository());
    const told: KeysTold = (tx: TypeOrmTx, action, ids) => audit.record(tx, OPERATOR, ...ids.map((id) => ({ action, irn: `passportsvc:signing_key:${id}` })));
    const unitOfWork = new TypeOrmUnitOfWork(dataSource);
    const repository = new SigningKeysRepository(dataSource);
    const keys = new SigningKeys(unitOfWork, repository, settings, told);
    const cipher = new KeyCipher(settings.KEY_ENCRYPTION_KEY, settings.KEY_ENCRYPTION_KEY_PREVIOUS);
    const reseal = async () => {
      const count = (await keys.reseal()) + (await new SealedColumnsRepository(dataSource, unitOfWork, cipher).reseal()) + (await new DataKeys(unitOfWork, new DataKeyStoreAdapter(dataSource), cipher).rewrap());
      await unitOfWork.run((tx) => audit.record(tx, OPERATOR, { action: 'RESEAL', irn: 'passportsvc:*:*', details: { rows: count } }));
      return count;
    };
    return await runKeysCommand(process.argv.slice(2), keys, repository, printLine, reseal);
  });
}

endWith(main, { usage: USAGE });
