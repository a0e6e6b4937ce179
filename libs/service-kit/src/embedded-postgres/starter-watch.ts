import { spawn } from 'node:child_process';

/**
 * Shuts the server down when the process that started it is gone, even by `kill -9`: a shell waits on a pipe whose other end is
 * ours, and the end of the pipe is the one message that cannot be missed. Returns what calls the watch off.
 */
export function watchStarter(serverPid: number): () => void {
  if (process.platform === 'win32') return () => undefined;
  const watch = spawn('/bin/sh', ['-c', 'read -r word; [ "$word" = done ] || kill -INT "$0"', String(serverPid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  watch.on('error', () => undefined); // without a shell, the next start finds and stops what was left
  watch.stdin?.on('error', () => undefined);
  watch.unref();
  return () => {
    watch.stdin?.end('done\n');
  };
}
