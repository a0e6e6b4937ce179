import { Injectable } from '@nestjs/common';
import type { DocumentTx } from '@twinyard/documents';
import { ProcessingErrorsRepository } from '../processingerrors/processing-errors.repository';
import { MembersRepository } from '../relatedcollections/members.repository';
import type { NamedItem } from './named-item';

/** Records elsewhere that repeat what an item says of itself: who may see them follows from it, and what it is called. */
@Injectable()
export class ItemCopies {
  constructor(
    private readonly members: MembersRepository,
    private readonly errors: ProcessingErrorsRepository,
  ) {}

  async follow(tx: DocumentTx, before: NamedItem, after: NamedItem): Promise<void> {
    await this.members.follow(tx, after);
    if (after._itemClass === 'NamedTelemetryCollection') await this.errors.follow(tx, before, after);
  }
}
