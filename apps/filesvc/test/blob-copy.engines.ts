import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineSettings, onEngine } from '@twinyard/testing';
import { describeStoreMove } from './describe-store-move';
import { s3SettingsOf } from './on-s3';

let folder: string;
beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'twinyard-move-')); });
afterAll(() => rm(folder, { recursive: true, force: true }));

onEngine('minio', () => {
  describeStoreMove('a folder to MinIO', async () => ({ from: { BLOBS_DIR: join(folder, 'from-minio') }, to: s3SettingsOf(engineSettings('minio')) }));
  // An installation that leaves a store that is no longer maintained.
  onEngine('versitygw', () => {
    describeStoreMove('MinIO to another S3', async () => ({ from: s3SettingsOf(engineSettings('minio')), to: s3SettingsOf(engineSettings('versitygw')) }));
  });
});
onEngine('versitygw', () => {
  describeStoreMove('a folder to an S3', async () => ({ from: { BLOBS_DIR: join(folder, 'from') }, to: s3SettingsOf(engineSettings('versitygw')) }));
  describeStoreMove('an S3 to a folder', async () => ({ from: s3SettingsOf(engineSettings('versitygw')), to: { BLOBS_DIR: join(folder, 'to') } }));
});
