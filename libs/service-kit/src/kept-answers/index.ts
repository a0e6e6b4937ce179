export * from './answer-store';
export * from './kept-answers';
export * from './kept-answers-migration';
export * from './kept-answers.module';
export { KEPT_ANSWERS_COLLECTIONS, MongoAnswerStore } from './mongo-answer-store';
export * from './sql-answer-store';
