import { invalidField } from '@twinyard/conventions';
import type { StepContext } from '../step-context';
import type { RestParams } from './rest-params';
import { secretsNamedIn } from './templates';

const MOST_SECRETS = 20;
const MOST_CHARACTERS = 255;

/** From what placeholders of the step say to the values that they stand for: those alone that stand there, with the rights of the run. */
export async function secretsOf({ platform }: Pick<StepContext, 'platform'>, { headers, body, secrets }: RestParams): Promise<ReadonlyMap<string, string>> {
  const said = [...new Set([...secretsNamedIn(headers, 'headers'), ...secretsNamedIn(body, 'body')])];
  const named = said.map((text): [string, string] => [text, nameOf(text, secrets)]);
  const names = [...new Set(named.map(([, name]) => name))];
  if (names.length > MOST_SECRETS) throw invalidField('_secrets', `are more than ${MOST_SECRETS}`);
  const values = await platform.secrets.tell(names);
  return new Map(named.flatMap(([text, name]): [string, string][] => {
    const value = values.get(name);
    return value === undefined ? [] : [[text, value]];
  }));
}

function nameOf(said: string, secrets: RestParams['secrets']): string {
  const name = secrets === undefined ? said : secrets.get(said);
  if (name === undefined) throw invalidField('_secrets', `does not name ${JSON.stringify(said)}`);
  if (name === '' || name.length > MOST_CHARACTERS) throw invalidField('_secrets', 'name one that no secret can have');
  return name;
}
