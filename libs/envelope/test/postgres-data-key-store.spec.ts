import { PostgresDataKeyStore, PostgresDataKeyUses } from '../src';
import { describeDataKeyStore } from './data-key-store.contract';
import { describeDataKeyUses } from './data-key-uses.contract';
import { openSealedTexts } from './sealed-texts';

let texts: Awaited<ReturnType<typeof openSealedTexts>>;
beforeAll(async () => { texts = await openSealedTexts(); });
afterAll(() => texts?.close());

describeDataKeyStore('PostgreSQL', () => Promise.resolve({ store: new PostgresDataKeyStore(texts.dataSource), unitOfWork: texts.unitOfWork, use: texts.use }));
describeDataKeyUses('PostgreSQL', () => Promise.resolve({
  store: new PostgresDataKeyStore(texts.dataSource), uses: new PostgresDataKeyUses(texts.dataSource), unitOfWork: texts.unitOfWork,
}));
