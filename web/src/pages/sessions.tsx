// Sessions: find one by its day.
import type { Operations } from '../api';
import { call } from '../server';
import { link, now, project } from '../state';
import { agentName, ago, base, count, day, MOST, PAGE, Trouble, useAnswer, usePages } from '../ui';

type Row = Operations['list_sessions']['result'][number];

const Line = ({ s }: { s: Row }) => (
  <li data-session={s.session_id}><a class="row session-row" data-row href={link(`/s/${encodeURIComponent(s.session_id)}`)}>
    <span class="time">{new Date(s.timestamp * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}</span>
    <span class="grow"><span class="title">{s.name ?? s.goal ?? 'Session without a prompt'}</span>
      <span class="sub"><b>{agentName(s.agent)}</b>{s.project && <> in {s.project}</>} · {s.ended}{(s.commits ?? 0) > 0 && <> · {count(s.commits ?? 0, 'commit')}</>}{s.files.length > 0 && <> · {s.files.slice(0, 2).map(base).join(', ')}{s.files.length + (s.more_files ?? 0) > 2 ? ` and ${s.files.length + (s.more_files ?? 0) - 2} more` : ''}</>}</span></span>
    <span class="muted">{ago(now.value - s.timestamp * 1000)}</span>
  </a></li>
);

export function Sessions() {
  const first = useAnswer('list_sessions', () => ({ project: project.value, limit: PAGE }), (method) => method === 'session.listChanged');
  const { rows: all, more } = usePages(first.answer, (s) => s.session_id, (last) => call('list_sessions', { project: project.value, limit: PAGE, before: last.session_id }));
  const days: [string, Row[]][] = [];
  for (const s of all) {
    const its = day(s.timestamp * 1000);
    if (days[days.length - 1]?.[0] === its) days[days.length - 1][1].push(s); else days.push([its, [s]]);
  }
  return (
    <div class="page" aria-busy={!first.answer.value && !first.fault.value}>
      <div class="lead"><h1>Sessions</h1>{first.answer.value && <p class="muted">{all.length ? `${count(all.length, 'session')} shown, newest first` : 'Sessions of your agents appear here as soon as they begin.'}</p>}</div>
      {first.fault.value && <Trouble fault={first.fault.value} />}
      {days.map(([its, list]) => (
        <section class="section" key={its} aria-label={its}><header class="section-head"><h2>{its}</h2></header>
          <ul class="rows">{list.map((s) => <Line key={s.session_id} s={s} />)}</ul></section>))}
      {more}
      {all.length >= MOST && <p class="muted">The page shows {MOST} sessions at most. <code>nudge search</code> finds older ones.</p>}
    </div>
  );
}
