import { UnopenableCiphertext } from './ciphertext';

/**
 * Work that reads a record and opens it. A rotation may seal the record anew and remove its old key in between: what was read is then out
 * of date, and is read once more. What does not open the second time either is damaged.
 */
export async function readAnewWhenSealedAnew<R>(readAndOpen: () => Promise<R>): Promise<R> {
  try {
    return await readAndOpen();
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    return readAndOpen();
  }
}
