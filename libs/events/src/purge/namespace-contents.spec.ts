import { Injectable } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { NamespaceContents } from './namespace-contents';
import { NamespacePurge, type PurgeStep } from './namespace-purge';

/** Records of one namespace; what has only begun to leave is gone at the next look. */
class Room extends NamespacePurge {
  override readonly what: string = 'records';
  held = 0;
  leaving = 0;
  steps = 0;

  override async removeSome(_namespace: string, limit: number): Promise<PurgeStep> {
    this.steps += 1;
    const removed = Math.min(limit, this.held);
    this.held -= removed;
    if (removed > 0 || this.leaving === 0) return { removed };
    this.leaving -= 1;
    return { removed: 0, waitMs: 100 * this.leaving + 100 };
  }
}

@Injectable()
class Files extends Room {}

@Injectable()
class Folders extends Room {
  override readonly what = 'folders';
}

describe('the contents of a namespace', () => {
  let contents: NamespaceContents;
  let files: Files;
  let folders: Folders;
  beforeEach(async () => {
    const module = await Test.createTestingModule({ imports: [DiscoveryModule], providers: [NamespaceContents, Files, Folders] }).compile();
    [contents, files, folders] = [module.get(NamespaceContents), module.get(Files), module.get(Folders)];
  });

  it('are removed until a whole round has found nothing', async () => {
    [files.held, folders.held] = [1_200, 3];
    expect(await contents.empty('ns', () => false)).toEqual({ removed: 1_203, isEmpty: true, waitMs: 0 });
    expect([files.held, folders.held]).toEqual([0, 0]);
    expect(await contents.empty('ns', () => false)).toEqual({ removed: 0, isEmpty: true, waitMs: 0 });
  });

  it('are left for later where it is time to stop, a step at least further', async () => {
    files.held = 1_200;
    expect(await contents.empty('ns', () => true)).toEqual({ removed: 500, isEmpty: false, waitMs: 0 });
    expect([files.held, folders.steps]).toEqual([700, 0]);
  });

  it('are no longer there only when nothing is on its way out: it says when to look again', async () => {
    [files.leaving, folders.leaving] = [2, 1];
    expect(await contents.empty('ns', () => false)).toEqual({ removed: 0, isEmpty: false, waitMs: 100 });
    expect(await contents.empty('ns', () => false)).toEqual({ removed: 0, isEmpty: false, waitMs: 100 });
    expect(await contents.empty('ns', () => false)).toEqual({ removed: 0, isEmpty: true, waitMs: 0 });
  });

  it('say what of them cannot be removed', async () => {
    folders.removeSome = () => Promise.reject(new Error('locked'));
    await expect(contents.empty('ns', () => false)).rejects.toMatchObject({ message: 'The folders of ns cannot be removed', cause: new Error('locked') });
  });
});
