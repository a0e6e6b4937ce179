import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { ItemAccess } from './item-access';

@Injectable()
export class ScriptsService {
  constructor(private readonly access: ItemAccess) {}

  /** Texts as they are; other user data as JSON. */
  async source(ctx: RequestContext, key: string): Promise<string> {
    const item = await this.access.item(ctx, key, 'READ');
    if (item._itemClass !== 'Script') throw notFound('script', key);
    const source = item._versions[0]?._userData;
    return typeof source === 'string' ? source : JSON.stringify(source);
  }
}
