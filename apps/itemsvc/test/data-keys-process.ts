import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ITEM_SETTINGS, type ItemSettings } from '../src/config';
import type { ItemService } from './item-service';

const COMMAND = join(__dirname, '..', '..', '..', 'dist', 'apps', 'itemsvc', 'src', 'data-keys.js');

interface Ended {
  /** `null`: it was killed. */
  readonly code: number | null;
  readonly output: string;
}

/** The operator's command as it is delivered: a process of its own with the settings of the service. */
export function startDataKeys(items: ItemService, args: readonly string[], changed: Readonly<Record<string, string>> = {}): { readonly ended: Promise<Ended>; kill(): Promise<Ended> } {
  const settings = Object.entries({ ...items.part<ItemSettings>(ITEM_SETTINGS as never), ...changed }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...Object.fromEntries(settings) }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output: output.join('') }));
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { ended, kill };
}

export const runDataKeys = (...asked: Parameters<typeof startDataKeys>): Promise<Ended> => startDataKeys(...asked).ended;
