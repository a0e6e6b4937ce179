import { invalid } from '@twinyard/conventions';

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

export function checkCollectionName(name: string): string {
  if (!NAME.test(name)) throw invalid(`${JSON.stringify(name)} is not the name of a collection`);
  return name;
}
