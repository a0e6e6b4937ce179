import { invalidField } from '@twinyard/conventions';

export type StepParams = Readonly<Record<string, unknown>>;

export function requiredText(params: StepParams, name: string): string {
  const text = optionalText(params, name);
  if (text === undefined) throw invalidField(name, 'is required');
  return text;
}

/** False when it is left out. */
export function flag(params: StepParams, name: string): boolean {
  const value = params[name] ?? false;
  if (typeof value !== 'boolean') throw invalidField(name, 'must be true or false');
  return value;
}

export function optionalText(params: StepParams, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidField(name, 'must be a text');
  return value;
}
