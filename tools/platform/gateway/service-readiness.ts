import { SERVICES, type ServiceName } from '@twinyard/conventions';

const ANSWER_WITHIN_MS = 2_000;

export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/health/ready', url), { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The services that do not take requests now. */
export async function servicesNotReady(upstreams: Readonly<Record<ServiceName, string>>): Promise<ServiceName[]> {
  const ready = await Promise.all(SERVICES.map((service) => isReady(upstreams[service])));
  return SERVICES.filter((_, index) => !ready[index]);
}
