import { randomUUID } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { type ObjectStore, S3ObjectStore, type S3Options } from '../src';

/** Of an engine, as services get them. */
export function s3Options(settings: Readonly<Record<string, string>>, more: Partial<S3Options> = {}): S3Options {
  return {
    endpoint: settings['S3_ENDPOINT'] ?? '',
    bucket: `test-${randomUUID()}`,
    region: settings['S3_REGION'] ?? '',
    accessKey: settings['S3_ACCESS_KEY'] ?? '',
    secretKey: settings['S3_SECRET_KEY'] ?? '',
    pathStyle: settings['S3_PATH_STYLE'] !== 'false',
    ...more,
  };
}

/** A store with a bucket of its own. */
export async function openS3(options: S3Options): Promise<S3ObjectStore> {
  const store = new S3ObjectStore(options);
  await checked(store);
  return store;
}

/** As `check`, which waits two seconds: a server that stands still for longer is asked again. */
export async function checked(store: ObjectStore): Promise<void> {
  let fault: Error | undefined;
  await eventually(() => store.check().then(() => { fault = undefined; }, (error: Error) => {
    if (isSilence(error)) throw error;
    fault = error;
  }));
  if (fault !== undefined) throw fault;
}

const isSilence = ({ cause }: Error) => cause instanceof Error && cause.message.includes('silent');

export async function keysOf(store: ObjectStore, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}
