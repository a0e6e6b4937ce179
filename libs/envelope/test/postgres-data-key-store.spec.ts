import { PostgresDataKeyStore } from '../src';
import { describeDataKeyStore } from './data-key-store.contract';
import { openSealedTexts } from './sealed-texts';

let texts: Awaited<ReturnType<typeof openSealedTexts>>;
afterAll(() => texts?.close());

describeDataKeyStore('PostgreSQL', async () => {
  texts = await openSealedTexts();
  return { store: new PostgresDataKeyStore(texts.dataSource), unitOfWork: texts.unitOfWork, use: texts.use };
});
