import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Schemas } from './install-schemas';

export interface Conformity {
  /** `Kind/name: what is wrong` */
  readonly faults: readonly string[];
  /** Kinds that no schema was there for. */
  readonly skipped: readonly string[];
  readonly checked: number;
}

interface Report {
  readonly resources?: readonly { readonly kind: string; readonly name: string; readonly status: string; readonly msg: string }[];
}

/** What kubeconform says of these manifests, strictly: an unknown field is a fault. */
export function conform(kubeconform: string, { folders, areWhole }: Schemas, manifests: string): Conformity {
  const locations = folders.flatMap((folder) => ['-schema-location', join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json')]);
  const { stdout, stderr } = spawnSync(kubeconform, ['-strict', ...(areWhole ? [] : ['-ignore-missing-schemas']), '-verbose', '-output', 'json', ...locations], { input: manifests, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (stdout.trim() === '') throw new Error(`kubeconform said nothing: ${stderr}`);
  const { resources = [] } = JSON.parse(stdout) as Report;
  const withStatus = (...statuses: string[]) => resources.filter(({ status }) => statuses.includes(status));
  return {
    faults: withStatus('statusInvalid', 'statusError').map(({ kind, name, msg }) => `${kind}/${name}: ${msg}`),
    skipped: [...new Set(withStatus('statusSkipped').map(({ kind }) => kind))],
    checked: withStatus('statusValid').length,
  };
}
