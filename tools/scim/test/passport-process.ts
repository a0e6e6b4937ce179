import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually, freePort } from '@twinyard/testing';
import { environment, repositoryFolder } from '../../judges/config';

const CLIENT = { id: 'scim-judges', secret: randomBytes(24).toString('base64url') };

export interface PassportProcess {
  readonly scimUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** The compiled passportsvc as a process of its own, and a token of a client with the scope `scim`. */
export async function startPassportProcess(): Promise<PassportProcess> {
  const [database, port, mails] = [await createTestDatabase(), await freePort(), mkdtempSync(join(tmpdir(), 'twinyard-mail-'))];
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(repositoryFolder, 'dist', 'apps', 'passportsvc', 'src', 'main.js')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...environment, PORT: String(port), HOST: '127.0.0.1', BASE_URL: baseUrl, PASSPORT_URL: baseUrl, DATABASE_URL: database.url, EVENTS_DATABASE_URL: database.url,
      SERVICE_TOKEN: randomBytes(24).toString('base64url'), KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'), MAIL_DIR: mails, LOG_LEVEL: 'warn', DRAIN_SECONDS: '0',
      BOOTSTRAP_CLIENT_ID: CLIENT.id, BOOTSTRAP_CLIENT_SECRET: CLIENT.secret, BOOTSTRAP_CLIENT_SCOPES: 'scim',
    },
  });
  const stop = async () => {
    await ended(child);
    await database.drop();
    rmSync(mails, { recursive: true, force: true });
  };
  try {
    return { scimUrl: `${baseUrl}/passportsvc/api/v1/scim`, token: await eventually(() => tokenOf(baseUrl), { timeoutMs: 180_000 }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function tokenOf(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/passportsvc/api/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'scim' }),
  });
  if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
