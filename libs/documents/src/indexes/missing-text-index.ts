import { invalid, type ServiceError } from '@twinyard/conventions';

export function missingTextIndex(): ServiceError {
  const issue = '$text needs a text index';
  return invalid(issue, [{ field: 'query', issue }]);
}
