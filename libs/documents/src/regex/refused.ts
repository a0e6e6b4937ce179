import { invalid } from '@twinyard/conventions';

/** What the stores' engines cannot be asked with the same meaning. */
export const refused = (what: string) => invalid(`$regex: ${what} is not supported here`);
