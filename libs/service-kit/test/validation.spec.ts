import { ServiceError } from '@twinyard/conventions';
import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min, MinLength, ValidateNested } from 'class-validator';
import { validation } from '../src/http/validation';

class Part {
  @IsString() @IsNotEmpty() @MaxLength(5)
  _irn: string;
}

class Whole {
  @IsString() @IsNotEmpty() @MaxLength(5)
  _name: string;

  @IsInt() @Min(1) @Max(9)
  _count: number;

  @IsIn(['a', 'b'])
  _kind: string;

  @IsOptional() @IsString() @MinLength(2)
  _note?: string;

  @IsArray() @ValidateNested({ each: true }) @Type(() => Part)
  _parts: Part[];
}

const faultsOf = async (body: object): Promise<string[]> => {
  const error: unknown = await validation.transform(body, { type: 'body', metatype: Whole }).then(() => undefined, (fault: unknown) => fault);
  if (!(error instanceof ServiceError)) throw error;
  return (error.details ?? []).map(({ field, issue }) => `${field} ${issue}`).sort();
};

describe('validation of bodies', () => {
  it.each([[{}], [{ _name: null, _count: null, _kind: null, _parts: null }]])('says once of each missing field that it is required: %j', async (body) => {
    expect(await faultsOf(body)).toEqual(['_count is required', '_kind is required', '_name is required', '_parts is required']);
  });

  it('says so of a missing field inside of another, and leaves an optional one alone', async () => {
    expect(await faultsOf({ _name: 'a', _count: 1, _kind: 'a', _note: null, _parts: [{}, { _irn: 'x' }] })).toEqual(['_parts[0]._irn is required']);
  });

  it('tells all that is wrong with a field that is there', async () => {
    const faults = await faultsOf({ _name: 5, _count: 12, _kind: 'c', _parts: [] });
    expect(faults).toEqual([
      '_count must not be greater than 9', '_kind must be one of the following values: a, b', '_name must be a string', '_name must be shorter than or equal to 5 characters',
    ]);
  });
});
