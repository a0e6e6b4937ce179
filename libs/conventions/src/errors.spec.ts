import { atField, conflict, invalid, invalidField, invalidFields, limitExceeded, type ServiceError } from './errors';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const at = (error: Error) => thrownBy(() => atField('query', () => { throw error; })) as ServiceError;

describe('a refusal', () => {
  it('says all faults of a request in one message', () => {
    expect(invalidFields([{ field: '_name', issue: 'is required' }, { field: '_tags[1]', issue: 'must be a text' }])).toMatchObject({ status: 400, message: '_name: is required; _tags[1]: must be a text' });
  });

  it('gets the field in which it was found, where it names none', () => {
    expect([at(invalid('The operator $near is not allowed')).details, at(limitExceeded('A filter has at most 8 levels')).code]).toEqual([[{ field: 'query', issue: 'The operator $near is not allowed' }], 'limit_exceeded']);
    expect(at(invalidField('sort', 'takes 1')).details).toEqual([{ field: 'sort', issue: 'takes 1' }]);
  });

  it('stays what it is where it is about no field', () => {
    const [taken, fault] = [conflict('The name is taken'), new TypeError('x is no function')];
    expect([at(taken), at(fault)]).toEqual([taken, fault]);
    expect(atField('query', () => 7)).toBe(7);
  });
});
