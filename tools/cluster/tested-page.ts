import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a run on a cluster has seen, as a page for people: k8s/TESTED.md. */
export class TestedPage {
  private readonly rows: { readonly what: string; readonly seen: string }[] = [];

  add(what: string, seen: string): void {
    this.rows.push({ what, seen });
  }

  /** Runs the work and notes how long it took, with what else there is to say. */
  async timed<T>(what: string, work: () => Promise<T>, more: (value: T) => string = () => ''): Promise<T> {
    const began = Date.now();
    const value = await work();
    this.add(what, [`${((Date.now() - began) / 1_000).toFixed(0)} s`, more(value)].filter((part) => part !== '').join('; '));
    return value;
  }

  write(root: string, versions: Readonly<Record<string, string>>): void {
    writeFileSync(join(root, 'k8s', 'TESTED.md'), this.text(versions, new Date()));
  }

  text(versions: Readonly<Record<string, string>>, date: Date): string {
    return `# What was seen on a cluster

Written by \`npm run test:cluster\` on ${date.toISOString().slice(0, 10)}: the overlay \`dev\` on a node of its own, two cores, with the images of the engines that \`npm run containers -- install\` makes. In the place of MongoDB stands
[the stand-in](../deploy/engines/README.md), in the place of a controller for Ingresses a proxy of the test, and nothing enforces the network policies.

${Object.entries(versions).map(([name, version]) => `${name} ${version}`).join(' · ')}

| What | Seen |
|---|---|
${this.rows.map(({ what, seen }) => `| ${what} | ${seen} |`).join('\n')}
`;
  }
}
