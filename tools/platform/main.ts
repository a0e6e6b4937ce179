import { releaseMemory } from '@twinyard/service-kit/process';
import { readPlatformSettings } from './config';
import { runFirstTour } from './first-tour';
import { Platform } from './platform';
import { PlatformLog, writerTo } from './platform-log';
import { messageOf, startFailure } from './start-failure';
import { summary } from './summary';

/** `npm start`: everything up, then until Ctrl-C or SIGTERM. */
async function main(): Promise<void> {
  process.umask(0o077); // what is kept is its owner's; the processes that are started here inherit it
  const settings = readPlatformSettings(process.env, process.argv.slice(2));
  const log = new PlatformLog(writerTo(process.stdout), { colour: process.stdout.isTTY && process.env.NO_COLOR === undefined, verbose: settings.verbose });
  const platform = new Platform(settings, log);
  stopOnSignals(platform, log);
  const began = Date.now();
  await platform.start().catch((error: unknown) => {
    throw new Error(startFailure(error, settings.dataDir), { cause: error });
  });
  log.plain(summary(settings, platform.secrets, (Date.now() - began) / 1_000));
  await runFirstTour(settings, platform.secrets, log, stopped.signal);
  await releaseMemory();
}

/** The first signal stops in order, the second one at once. */
function stopOnSignals(platform: Platform, log: PlatformLog): void {
  const stop = (signal: string) => {
    log.info('stopping; once more stops at once', { signal });
    stopped.abort();
    void platform.stop().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };
  const hear = (signal: string) => {
    if (!stopped.signal.aborted) return stop(signal);
    platform.killProcesses();
    process.exit(130);
  };
  process.on('SIGINT', () => hear('SIGINT'));
  process.on('SIGTERM', () => hear('SIGTERM'));
  if (process.env.npm_lifecycle_event === 'start') stopWithNpm(() => stop('npm is gone'));
  process.on('uncaughtException', (error) => {
    log.error('the runner failed', { reason: error.stack ?? String(error) });
    void platform.stop().finally(() => process.exit(1));
  });
}

/** npm hands a SIGTERM to the shell between us, which dies of it and tells nobody: what can be seen is that the parent is another one. */
function stopWithNpm(stop: () => void): void {
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    if (!stopped.signal.aborted) stop(); // the signal that npm died of may have come here as well
  }, 250);
  look.unref();
}

const stopped = new AbortController();

main().catch((error: unknown) => {
  if (stopped.signal.aborted) return; // the stop itself makes what is being started fail
  writerTo(process.stderr)(`\n${messageOf(error)}\n`);
  process.exit(1);
});
