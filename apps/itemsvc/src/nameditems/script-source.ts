import type { NamedItem } from './named-item';

/** Source of a script's tip: texts as they are, other user data as JSON, nothing for a version without. */
export function scriptSource(script: NamedItem): string {
  const data = script._versions[0]?._userData;
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
}
