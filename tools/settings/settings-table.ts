import { SERVICES } from '@twinyard/conventions';
import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';
import { definitionOf } from '../openapi/describe-services';
import { platformSettings } from '../platform/config';
import { gatewayVariables } from '../platform/gateway/config';

interface SettingSchema {
  readonly description?: string;
  readonly default?: unknown;
}

/** Settings of the runner, the gateway, all services, then those of each one, as Markdown. Drawn from the schemas that these read. */
export async function settingsTables(): Promise<string> {
  const common = new Set(Object.keys(baseSettings.shape));
  const tables = [section('The runner (`npm start`)', platformSettings, () => true), section('gateway', gatewayVariables, () => true), section('Every service', baseSettings, () => true)];
  for (const service of SERVICES) {
    const { settings } = await definitionOf(service);
    tables.push(section(service, settings, (name) => !common.has(name)));
  }
  return tables.filter((table) => table !== '').join('\n\n');
}

function section(title: string, schema: z.ZodObject, isOwn: (name: string) => boolean): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSettings;
  const rows = Object.entries(properties).filter(([name]) => isOwn(name)).map(([name, setting]) => row(name, setting, required.includes(name)));
  return rows.length === 0 ? '' : [`### ${title}`, '', '| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

interface JsonSettings {
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly required?: readonly string[];
}

function row(name: string, setting: SettingSchema, isRequired: boolean): string {
  const missing = isRequired ? 'required' : 'none';
  const fallback = setting.default === undefined ? missing : code(setting.default);
  return `| \`${name}\` | ${fallback} | ${(setting.description ?? '').replaceAll('|', '\\|')} |`;
}

const code = (value: unknown) => (value === '' ? 'empty' : `\`${String(value)}\``);
