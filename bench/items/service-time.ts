import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor seconds that the process with this text in its command line has used; 0 where there is no /proc. Free of noise where latency is not. */
export class ServiceTime {
  private constructor(private readonly process: string | undefined) {}

  /** The process of a service that listens for the platform at `root`. */
  static of(service: string, root: number): ServiceTime {
    return new ServiceTime(processes().find((id) => commandOf(id).includes(`apps/${service}/`) && ancestors(id).includes(String(root))));
  }

  seconds(): number {
    if (this.process === undefined) return 0;
    const fields = fieldsOf(this.process);
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended since
  }
};
const commandOf = (id: string) => read(`/proc/${id}/cmdline`);
/** proc(5): the name in brackets may hold anything; the fields behind it are counted from the state. */
const fieldsOf = (id: string) => read(`/proc/${id}/stat`).replace(/^.*\) /s, '').split(' ');

function ancestors(id: string): string[] {
  const parent = fieldsOf(id)[1];
  return parent === undefined || parent === '0' || parent === '' ? [] : [parent, ...ancestors(parent)];
}
