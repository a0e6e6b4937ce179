import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, type Page, until } from '../api';
import type { TourLog } from '../tour-log';
import type { TourOptions } from '../tour-options';
import type { Project } from './project';

const BASE = '/notificationsvc/api/v1';

/** A trigger on new files, with a sender, a template, a group and the owner's subscription. */
export function makeTrigger({ owner, namespace }: Project, log: TourLog): Promise<string> {
  const make = async (kind: string, body: Fields) => String((await owner.post(`${BASE}/${kind}`, { _namespaces: [namespace], ...body }))['_id']);
  return log.step('Create a trigger on new files, and subscribe', async () => {
    const sender = await make('sender', { _name: 'House', _transport: 'EMAIL', _email: { _address: 'house@example.com', _displayName: 'The house' } });
    const template = await make('template', {
      _name: 'New file', _transport: 'EMAIL',
      _email: { _subject: 'New file: $request.resource._name', _body: 'The file $request.resource._name was uploaded to $applicationName. Stop these mails: $cancelLink' },
    });
    const group = await make('group', { _name: 'Operators' });
    await make('subscription', { _group: { _id: group } });
    return make('trigger', {
      _name: 'New files', _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' } } },
      _senders: [{ _id: sender }], _templates: [{ _id: template }], _groups: [{ _id: group }],
    });
  }, (id) => `trigger ${id}`);
}

/** A mail for each uploaded file has been sent, and where mails are files it names the file. */
export function waitForMails(options: TourOptions, { owner }: Project, triggerId: string, names: readonly string[], log: TourLog): Promise<number> {
  return log.step('A mail arrives for each uploaded file', async () => {
    const sent = await until('a mail for each file', async () => {
      const { _list } = await owner.get<Page<Fields>>(`${BASE}/notification`, { '_trigger._id': triggerId, _count: 100 });
      const failed = _list.find(({ _status }) => _status === 'ERROR' || _status === 'SKIPPED');
      if (failed !== undefined) throw new Error(`a notification was not sent: ${String(failed['_error'])}`);
      return _list.filter(({ _status }) => _status === 'SENT').length >= names.length ? _list.length : undefined;
    });
    if (options.mailDir !== undefined) checkMails(options.mailDir, names);
    return sent;
  }, (sent) => `${sent} sent`);
}

function checkMails(folder: string, names: readonly string[]): void {
  const mails = readdirSync(folder).filter((file) => file.endsWith('.eml')).map((file) => readFileSync(join(folder, file), 'utf8'));
  const missing = names.filter((name) => !mails.some((mail) => mail.includes(`Subject: New file: ${name}`)));
  if (missing.length > 0) throw new Error(`no mail in ${folder} names ${missing.join(', ')}`);
}
