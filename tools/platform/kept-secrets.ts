import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwnerFile } from '../tour/owner-file';
import type { PlatformSettings } from './config';

export interface KeptSecrets {
  readonly adminPassword: string;
  /** Where the password is kept; `undefined` when it was given as a setting. */
  readonly adminPasswordFile?: string;
  readonly isAdminPasswordNew: boolean;
  readonly serviceToken: string;
  readonly keyEncryptionKey: string;
}

/** Secrets that nobody set are made once and kept below DATA_DIR, for its owner alone. */
export function openSecrets(settings: PlatformSettings): KeptSecrets {
  const folder = join(settings.dataDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const passwordFile = join(folder, 'admin-password');
  const isAdminPasswordNew = settings.adminPassword === undefined && !existsSync(passwordFile);
  return {
    adminPassword: settings.adminPassword ?? keep(passwordFile, () => randomBytes(12).toString('hex')),
    ...(settings.adminPassword === undefined && { adminPasswordFile: passwordFile }),
    isAdminPasswordNew,
    serviceToken: settings.serviceToken ?? keep(join(folder, 'service-token'), () => randomBytes(32).toString('base64url')),
    keyEncryptionKey: settings.keyEncryptionKey ?? keep(join(folder, 'key-encryption-key'), () => randomBytes(32).toString('base64')),
  };
}

function keep(file: string, make: () => string): string {
  if (!existsSync(file)) writeOwnerFile(file, `${make()}\n`);
  return readFileSync(file, 'utf8').trim();
}
