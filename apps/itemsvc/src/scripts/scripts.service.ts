import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { ItemAccess } from '../nameditems/item-access';
import { scriptSource } from './script-source';

@Injectable()
export class ScriptsService {
  constructor(private readonly access: ItemAccess) {}

  async source(ctx: RequestContext, key: string): Promise<string> {
    const item = await this.access.item(ctx, key, 'READ');
    if (item._itemClass !== 'Script') throw notFound('script', key);
    return scriptSource(item);
  }
}
