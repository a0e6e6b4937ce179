import type { Fields, Page } from '../api';
import type { Project } from './project';

export const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** A named item, of a version without attributes unless it says more. Its `_userItemId`. */
export async function makeItem({ owner, namespace }: Project, draft: Fields): Promise<string> {
  const page = await owner.post<Page<Fields>>(ITEMS, [{ _description: 'Made by the tour', _namespaces: [namespace], _version: { _userAttributes: {} }, ...draft }]);
  return String(page._list[0]?.['_userItemId']);
}
