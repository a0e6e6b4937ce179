// Stands for a service that reads a model until it is killed: `node killed-reader.js <folder>`. It tells which process reads for it.
import { IfcReader } from '../src/ifc/on-disk/ifc-reader';
import { ifcChildren } from './ifc-children';
import { sourceOf } from './ifc-source';
import { manyWalls } from '@twinyard/testing/ifc-text';

const reader = new IfcReader({ folder: process.argv[2], fileMb: 64, memoryMb: 1_024, seconds: 120 });

void reader.read(sourceOf(manyWalls(100_000)), {
  namespaces: ['a_1'],
  signal: new AbortController().signal,
  downloaded: async () => undefined,
  read: async () => void process.send?.(ifcChildren()),
  worked: () => undefined,
});
