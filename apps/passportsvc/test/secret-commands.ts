import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DataKeys, Envelope, KeyCipher } from '@twinyard/envelope';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { DataSource } from 'typeorm';
import { AuditLog } from '../src/audit/audit-log';
import { AuditPendingRepository } from '../src/audit/audit-pending.repository';
import type { PassportSettings } from '../src/config';
import { DataKeyStoreAdapter } from '../src/encryption/data-key-store.adapter';
import { secretRotation } from '../src/secrets/secret-rotation';
import { runSecretsCommand } from '../src/secrets/secrets-command';
import { SealedSecrets } from '../src/secrets/sealed-secrets';
import { SealedSecretsRepository } from '../src/secrets/sealed-secrets.repository';
import type { PassportApp } from './passport-app';

const DIST = join(__dirname, '..', '..', '..', 'dist', 'apps', 'passportsvc', 'src');

export interface CommandRun {
  readonly process: ChildProcess;
  /** Resolves when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly output: string }>;
}

/** An operator's command as it is delivered: a process of its own with the settings of the service. */
export function startCommand(passport: PassportApp, command: 'keys' | 'secrets' | 'owners', args: readonly string[], changes: Partial<PassportSettings> = {}): CommandRun {
  const settings = Object.entries({ ...passport.settings, ...changes }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  const child = spawn(process.execPath, [join(DIST, `${command}.js`), ...args], { env: { PATH: process.env.PATH, ...Object.fromEntries(settings) }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: signal as NodeJS.Signals | null, output: output.join('') }));
  return { process: child, ended };
}

export const runCommand = (...args: Parameters<typeof startCommand>) => startCommand(...args).ended;

/** The same in this process, which is what most tests need: starting one takes seconds on a busy machine. */
export async function runSecrets(passport: PassportApp, dataSource: DataSource, ...args: readonly string[]) {
  const unitOfWork = new TypeOrmUnitOfWork(dataSource);
  const repository = new SealedSecretsRepository(dataSource);
  const envelope = new Envelope(new DataKeys(unitOfWork, new DataKeyStoreAdapter(dataSource), new KeyCipher(passport.settings.KEY_ENCRYPTION_KEY)));
  const rotation = secretRotation({ unitOfWork, envelope, secrets: new SealedSecrets(unitOfWork, repository, envelope), audit: new AuditLog(new AuditPendingRepository()) });
  const lines: string[] = [];
  const code = await runSecretsCommand(args, rotation, repository, (line) => lines.push(line));
  return { code, output: lines.join('\n') };
}
