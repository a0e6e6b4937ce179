import type { NamedItem } from '../nameditems/named-item';

/** Source of a script's tip: texts as they are, other user data as JSON, nothing for a version without. */
export const scriptSource = (script: NamedItem): string => sourceIn(script._versions[0]?._userData);

export const sourceIn = (userData: unknown): string => (typeof userData === 'string' ? userData : (JSON.stringify(userData) ?? ''));
