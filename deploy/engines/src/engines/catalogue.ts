import type { Engine, EngineName } from './engine';
import { kafka } from './kafka';
import { mongo } from './mongo';
import { postgres } from './postgres';
import { minio, versitygw } from './s3';

export const ENGINES: Readonly<Record<EngineName, Engine>> = { kafka, versitygw, minio, mongo, postgres };

export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

export const isEngineName = (name: string): name is EngineName => name in ENGINES;
