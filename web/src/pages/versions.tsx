// The versions of a hint, and the way back to one.
import type { Operations } from '../api';
import { call, readOnly } from '../server';
import { say } from '../state';
import { Trouble, useAnswer } from '../ui';
import { attempt, dayAndTime, whom } from '../words';
import { conditions } from './review';

export type Version = Operations['hint_log']['result']['versions'][number];

/** Puts an earlier version in force again. */
export const bringBack = (id: number, name: string, after = () => {}) => attempt(async () => {
  const { restored_version: version } = await call('undo_hint', { id });
  say(`${name} has the value of version ${version} again.`);
  after();
});

export const VersionRow = ({ v, name, after }: { v: Version; name?: string; after?: () => void }) => (
  <li data-version={v.version}><span class="time">{dayAndTime(v.at)}</span>
    <span><code>{name && `${name} = `}{v.value ?? 'a secret value'}</code>
      <span class="muted">{` version ${v.version}, ${whom(v.stated_by)}${v.scope ? `, where this holds: ${conditions(v.scope)}` : ''}${v.ended ? `; ${v.ended.how} ${dayAndTime(v.ended.at)} by ${whom(v.ended.by)}` : '; in force'}`}</span></span>
    {v.id != null && !readOnly.value && <button class="link" onClick={() => void bringBack(v.id as number, `${v.component}/${v.key}`, after)}>Restore<span class="visually-hidden"> {v.component}/{v.key}, version {v.version}</span></button>}</li>
);

export function Versions({ component, key_: key, after }: { component: string; key_: string; after?: () => void }) {
  const { answer, fault } = useAnswer('hint_log', () => ({ component, key, limit: 100 }), (method, scheme) => method === 'entry/changed' && scheme === 'hint');
  if (fault.value) return <Trouble fault={fault.value} />;
  return <ul class="times-list" aria-label={`Versions of ${component}/${key}`} aria-busy={!answer.value}>{answer.value?.versions.map((v) => <VersionRow key={`${v.id} ${v.version}`} v={v} after={after} />)}</ul>;
}
