import { join } from 'node:path';
import { run } from '../containers/run';

/** Kubernetes' command line, against the node of our own. */
export class Kubectl {
  constructor(private readonly programs: string, private readonly kubeconfig: string) {}

  run(...args: readonly string[]): Promise<string> {
    return run(join(this.programs, 'kubectl'), args, { env: { KUBECONFIG: this.kubeconfig } });
  }

  async json<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.run(...args, '--output', 'json')) as T;
  }
}
