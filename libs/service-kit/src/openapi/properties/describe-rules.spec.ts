import { type OpenAPIObject, PartialType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsIn, IsNotEmpty, IsOptional, IsString, IsUrl, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsHostName, IsMailbox } from '../../http/is-mailbox';
import { describeRules } from './describe-rules';

class RuledParent {
  @IsString() @IsNotEmpty() @MaxLength(255) _name: string;
}
class RuledThing extends RuledParent {
  @Length(2, 5) code: string;
  @Min(1) @Max(9) count: number;
  @ArrayNotEmpty() @ArrayMaxSize(3) @MaxLength(7, { each: true }) tags: string[];
  @IsOptional() @IsIn(['a', 'b']) kind?: string;
  @IsUrl() home: string;
  @MaxLength(5) said: string;
  @MaxLength(5) other: object;
  @Matches(/^[a-z]+$/) word: string;
  @Matches(/^[a-z]+$/i) anyCase: string;
  @IsMailbox() mail: string;
  @IsHostName({ each: true }) hosts: string[];
}
class RuledChange extends PartialType(RuledParent) {}

function namesakeOfDoubled() {
  class Doubled { @MaxLength(2) code: string; }
  return Doubled;
}

const described = (name: string, properties: object, taken?: ReadonlyMap<string, abstract new () => unknown>) =>
  (describeRules({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas: { [name]: { properties } } } } as OpenAPIObject, taken).components?.schemas?.[name] as { properties: object }).properties;

describe('what a class refuses', () => {
  const string = { type: 'string' };

  it('is said of its properties, in the words of JSON Schema, also what it has of another', () => {
    const bare = { _name: string, code: string, count: { type: 'number' }, tags: { type: 'array', items: string }, kind: string, home: string };
    expect(described(RuledThing.name, bare)).toEqual({
      _name: { type: 'string', minLength: 1, maxLength: 255 }, code: { type: 'string', minLength: 2, maxLength: 5 }, count: { type: 'number', minimum: 1, maximum: 9 },
      tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', maxLength: 7 } }, kind: { type: 'string', enum: ['a', 'b'] }, home: { type: 'string', format: 'uri' },
    });
    expect(string).toEqual({ type: 'string' });
  });

  it('is said of forms, and of a class that has all its rules of another and is taken by a route', () => {
    expect(described(RuledThing.name, { word: string, anyCase: string, mail: string, hosts: { type: 'array', items: string } })).toEqual({
      word: { type: 'string', pattern: '^[a-z]+$' }, anyCase: string, mail: { type: 'string', format: 'email' }, hosts: { type: 'array', items: { type: 'string', format: 'hostname' } },
    });
    expect(described(RuledChange.name, { _name: string }, new Map([[RuledChange.name, RuledChange]]))).toEqual({ _name: { type: 'string', minLength: 1, maxLength: 255 } });
  });

  it('is not said where the class says it itself, of other types, or of other classes', () => {
    const said = { said: { type: 'string', maxLength: 3 }, other: { type: 'object' } };
    expect(described(RuledThing.name, said)).toEqual(said);
    expect(described('Another', { _name: string })).toEqual({ _name: string });
  });

  it('is that of the class that a route takes, whatever else has its name', () => {
    class Doubled { @Length(2, 5) code: string; }
    const namesake = namesakeOfDoubled();
    expect(described(Doubled.name, { code: string }, new Map([[Doubled.name, Doubled]]))).toEqual({ code: { type: 'string', minLength: 2, maxLength: 5 } });
    expect(described(Doubled.name, { code: string }, new Map([[Doubled.name, namesake]]))).toEqual({ code: { type: 'string', maxLength: 2 } });
  });
});
