import { Injectable } from '@nestjs/common';
import { SourceRule } from './source-rule';
import { IndexFaults } from './index-faults';

/** What may stand once in a version of a collection. */
@Injectable()
export class UniqueRules {
  constructor(readonly sources: SourceRule, readonly indexes: IndexFaults) {}
}
