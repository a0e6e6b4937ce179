import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, EngineHome } from './engine';
import { answersOk } from './health';

const USER = 'twinyard';
const REGION = 'us-east-1';

const settings = ({ port, secret }: EngineHome) => ({
  S3_ENDPOINT: `http://127.0.0.1:${port}`,
  S3_ACCESS_KEY: USER,
  S3_SECRET_KEY: secret,
  S3_REGION: REGION,
  S3_PATH_STYLE: 'true',
});

const dataFolder = ({ folder }: EngineHome) => {
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  return data;
};

/** An S3 over a folder: buckets are folders, objects are files with extended attributes (a file system without them is refused at the start). */
export const versitygw: Engine = {
  package: 'versitygw',
  command: async (home, installed) => ({
    program: join(installed, 'versitygw'),
    args: ['--quiet', '--keep-alive', '--health', '/health', '--port', `127.0.0.1:${home.port}`, 'posix', dataFolder(home)],
    env: { ROOT_ACCESS_KEY: USER, ROOT_SECRET_KEY: home.secret, VGW_REGION: REGION },
  }),
  isHealthy: ({ port }) => answersOk(`http://127.0.0.1:${port}/health`),
  settings,
};

export const minio: Engine = {
  package: 'minio',
  command: async (home, installed) => ({
    program: join(installed, 'minio'),
    args: ['server', '--quiet', '--address', `127.0.0.1:${home.port}`, dataFolder(home)],
    env: { MINIO_ROOT_USER: USER, MINIO_ROOT_PASSWORD: home.secret, MINIO_BROWSER: 'off', MINIO_UPDATE: 'off', GOMEMLIMIT: '512MiB' },
  }),
  isHealthy: ({ port }) => answersOk(`http://127.0.0.1:${port}/minio/health/ready`),
  settings,
};
