import { Global, Module } from '@nestjs/common';
import { MongoUnitOfWork } from '../mongo/mongo-unit-of-work';
import type { TypeOrmUnitOfWork } from '../sql/type-orm-unit-of-work';
import { UnitOfWork } from '../tx';
import { AnswerStore } from './answer-store';
import { KeptAnswers } from './kept-answers';
import { MongoAnswerStore } from './mongo-answer-store';
import { SqlAnswerStore } from './sql-answer-store';

/**
 * For services: list `KeptAnswersTable1700000000030` among the migrations (on MongoDB `KEPT_ANSWERS_COLLECTIONS` among the
 * collections) and import `RepeatsModule` of libs/auth, which hears the headers.
 */
@Global()
@Module({
  providers: [{ provide: AnswerStore, inject: [UnitOfWork], useFactory: storeOf }, KeptAnswers],
  exports: [KeptAnswers],
})
export class KeptAnswersModule {}

function storeOf(unitOfWork: TypeOrmUnitOfWork | MongoUnitOfWork): AnswerStore {
  return unitOfWork instanceof MongoUnitOfWork ? new MongoAnswerStore(unitOfWork.connection) : new SqlAnswerStore(unitOfWork);
}
