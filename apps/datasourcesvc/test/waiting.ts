import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';

/** Ends when it is stopped, and not before. */
export const untilStopped: Component['run'] = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

export const waits: Component = { ...ping, id: '00000000-0000-4000-8000-000000000020', name: 'waits', run: untilStopped };
