// Today: what needs me, what runs, what happened before.
import { useSignal } from '@preact/signals';
import type { Operations } from '../api';
import { call, Fault, readOnly } from '../server';
import { link, now, project, say } from '../state';
import { agentName, base, count, day, inWords, number, Section, span, Strip, Trouble, UsageBars, useAnswer, VerdictMark, when } from '../ui';
import { capital, toYou } from '../words';

type Overview = Operations['overview']['result'];
type Card = Overview['working'][number];
type Proposal = Operations['list_proposals']['result']['proposals'][number];

const title = (s: Card) => s.name ?? s.request ?? 'Session without a prompt';
const its = (s: Card) => link(`/s/${encodeURIComponent(s.session_id)}`);
const isOfSessions = (method: string, scheme?: string) => method.startsWith('session.') || scheme === 'session' || scheme === 'obs' || scheme === 'prompt';

const Where = ({ s }: { s: Card }) => <><b>{agentName(s.agent)}</b>{s.project && <> in {s.project}</>}</>;

const DID: Record<string, string> = { file_read: 'read ', file_write: 'wrote ', file_edit: 'edited ', search: 'searched ', web_fetch: 'fetched ', web_search: 'searched the web: ', git_commit: 'committed ', git_push: 'pushed ', conclusion: 'said: ', task_spawn: 'started ' };
function Last({ s }: { s: Card }) {
  if (!s.last) return null;
  const { kind, text, failed } = s.last;
  const shown = kind.startsWith('file_') ? base(text) : text;
  return <> · <span class={failed ? 'bad' : ''}>{DID[kind] ?? ''}{shown}{failed ? ' failed' : ''}</span></>;
}

const Working = ({ s }: { s: Card }) => (
  <li data-session={s.session_id}><a class="row session-row" data-row href={its(s)}>
    <span class="lead-cell"><span class="dot busy" role="img" aria-label="working" /> <span class="time">{span(now.value - Date.parse(s.started_at))}</span></span>
    <span class="grow"><span class="title">{title(s)}</span><span class="sub"><Where s={s} /><Last s={s} /></span></span>
    <VerdictMark v={s.verdict} /><Strip activity={s.activity} failures={s.failures} />
  </a></li>
);

async function markSeen(s: Card) {
  try { await call('update_session', { session: s.session_id, observed: true }); } catch (error) { if (error instanceof Fault) say(error.message); }
}
const Stopped = ({ s }: { s: Card }) => (
  <li data-session={s.session_id}><div class="row with-button"><a class="row" data-row href={its(s)}>
    <span class="lead-cell"><span class="badge accent">{s.state === 'ended' ? 'ended' : 'stopped'}</span></span>
    <span class="grow"><span class="title">{title(s)}</span><span class="sub"><Where s={s} />{s.last?.kind === 'conclusion' ? <>: “{s.last.text}”</> : <Last s={s} />}</span></span>
    <span class="muted">{when(s.last_at, now.value)}</span></a>
    {!readOnly.value && <button class="seen" onClick={() => void markSeen(s)}>Mark as seen<span class="visually-hidden">: {title(s)}</span></button>}
  </div></li>
);
const Waiting = ({ p }: { p: Proposal }) => (
  <li><a class="row" data-row href={link('/review')}>
    <span class="lead-cell"><span class="badge">proposal</span></span>
    <span class="grow"><span class="title">{p.text ? `“${p.text}”` : `${capital(p.action)} ${p.path ?? `${p.component}/${p.key}`}`}</span><span class="sub">{capital(toYou(p.why))}{p.times > 1 ? ` · ${count(p.times, 'time')}` : ''}</span></span>
    <span class="muted">{when(p.last_at, now.value)}</span>
  </a></li>
);
const STATE: Record<string, string> = { ended: 'ended', idle: 'idle', 'broke off': 'broke off' };
export const Earlier = ({ s }: { s: Card }) => (
  <li data-session={s.session_id}><a class="row session-row" data-row href={its(s)}>
    <span class="lead-cell time">{when(s.last_at, now.value)}</span>
    <span class="grow"><span class="title">{title(s)}</span>
      <span class="sub"><Where s={s} /> · {span(Date.parse(s.last_at) - Date.parse(s.started_at)).replace('now', 'under a minute')}{s.state !== 'ended' && <> · {STATE[s.state] ?? s.state}</>}{s.commits > 0 && <> · {count(s.commits, 'commit')}</>}{s.files.length > 0 && <> · {s.files.slice(0, 2).map(base).join(', ')}{s.files.length + s.more_files > 2 ? ` and ${s.files.length + s.more_files - 2} more` : ''}</>}</span></span>
    <VerdictMark v={s.verdict} /><Strip activity={s.activity} failures={s.failures} />
  </a></li>
);

/** How many sessions that stopped are shown at first, and how many proposals. */
const STOPPED = 5, PROPOSALS = 5;
function Needs({ stopped, list }: { stopped: Card[]; list: Proposal[] }) {
  const isOpen = useSignal(false);
  const shown = isOpen.value ? stopped : stopped.slice(0, STOPPED), more = stopped.length - shown.length;
  return (
    <Section title="Needs you" id="needs" action={<>
      {stopped.length > 2 && !readOnly.value && <button class="link" onClick={() => void Promise.all(stopped.map(markSeen))}>Mark all as seen</button>}
      {list.length > 0 && <a href={link('/review')}>Review</a>}</>}>
      <ul class="rows">{shown.map((s) => <Stopped key={s.session_id} s={s} />)}</ul>
      {more > 0 && <p class="quiet-row"><button class="link" onClick={() => { isOpen.value = true; }}>Show {count(more, 'more session')} that stopped</button></p>}
      <ul class="rows">{list.slice(0, PROPOSALS).map((p) => <Waiting key={p.id} p={p} />)}</ul>
      {list.length > PROPOSALS && <p class="quiet-row"><a href={link('/review')}>{count(list.length - PROPOSALS, 'more proposal')}</a></p>}
    </Section>
  );
}

/** The state in words, before any number. */
function summary(found: Overview, proposals: number): string {
  const { working, stopped } = found, parts: string[] = [];
  parts.push(working.length ? `${inWords(working.length)} agent${working.length > 1 ? 's are' : ' is'} working.` : 'No agent is working.');
  if (stopped.length) parts.push(`${inWords(stopped.length)} ${stopped.length > 1 ? 'have' : 'has'} stopped and you have not looked yet.`);
  if (proposals) parts.push(`${inWords(proposals)} proposal${proposals > 1 ? 's wait' : ' waits'} for you.`);
  if (!stopped.length && !proposals) parts.push('Nothing waits for you.');
  return parts.join(' ');
}

const First = () => (
  <div class="empty"><h2>Nothing was recorded yet</h2><p class="muted">Sessions of your agents appear here as soon as they begin.</p>
    <ol class="steps-list">
      <li><span>Set up your agents: <code>nudge install</code></span></li>
      <li><span>Start one, such as <code>claude</code>, and give it a task.</span></li>
      <li><span>Come back: its session is here, live.</span></li>
    </ol></div>
);

export function Today() {
  const found = useAnswer('overview', () => ({ project: project.value }), isOfSessions);
  const waits = useAnswer('list_proposals', () => ({}), (method, scheme) => method === 'entry/changed' && scheme === 'proposal');
  const list = (waits.answer.value?.proposals ?? []).filter((p) => project.value === '*' || !p.project || p.project === project.value);
  const answer = found.answer.value;
  const isNew = answer && project.value === '*' && !answer.working.length && !answer.stopped.length && !answer.earlier.length;
  return (
    <div class="page two" aria-busy={!answer && !found.fault.value}>
      <div class="lead">
        <h1>{day(now.value)}</h1>
        {answer && !isNew && <p class="summary">{summary(answer, list.length)}</p>}
      </div>
      <div class="col">
        {found.fault.value && <Trouble fault={found.fault.value} />}
        {isNew && <First />}
        {answer && !isNew && <>
          {(answer.stopped.length > 0 || list.length > 0) && <Needs stopped={answer.stopped} list={list} />}
          <Section title="Working now" id="working">
            {answer.working.length ? <ul class="rows">{answer.working.map((s) => <Working key={s.session_id} s={s} />)}</ul> : <p class="quiet-row">An agent appears here when you send it a prompt.</p>}
          </Section>
          <Section title="Earlier" id="earlier" action={<a href={link('/sessions')}>All sessions</a>}>
            {answer.earlier.length ? <ul class="rows">{answer.earlier.slice(0, 6).map((s) => <Earlier key={s.session_id} s={s} />)}</ul> : <p class="quiet-row">Sessions that are over appear here.</p>}
          </Section></>}
        {waits.fault.value && <Trouble fault={waits.fault.value} />}
      </div>
      {answer && !isNew && <Figures />}
    </div>
  );
}

const DAYS = 14;
/** The last days in UTC, oldest first, also those without an injection. */
function byDay(found: Operations['injection_usage']['result']) {
  return Array.from({ length: DAYS }, (_, i) => {
    const day = new Date(now.value - (DAYS - 1 - i) * 86_400_000).toISOString().slice(0, 10);
    const its = found.days.find((d) => d.day === day);
    return { day, given: its?.tokens ?? 0, used: its?.used_tokens ?? 0, injections: its?.injections ?? 0 };
  });
}

function Figures() {
  const chosen = () => (project.value === '*' ? {} : { project: project.value });
  const usage = useAnswer('injection_usage', () => ({ days: DAYS, ...chosen() }), (method) => method === 'session.listChanged');
  const learned = useAnswer('learn', () => ({ project: project.value, limit: 3, failures_only: true }), (method) => method === 'session.listChanged');
  const days = usage.answer.value && byDay(usage.answer.value), today = days?.[DAYS - 1];
  const given = days?.reduce((n, d) => n + d.given, 0) ?? 0, used = days?.reduce((n, d) => n + d.used, 0) ?? 0;
  const failing = learned.answer.value?.failed_commands ?? [];
  return (
    <aside class="side" aria-label="Figures">
      <Section title="What agents got" id="got">
        {usage.fault.value && <Trouble fault={usage.fault.value} />}
        {days && today && (given === 0
          ? <p class="quiet-row">Nothing was given in {DAYS} days. Nudge gives a line only when it is likely to help.</p>
          : <><p class="figure"><b>{number(today.given)}</b> tokens today in {count(today.injections, 'injection')}</p>
            <p class="muted">In {DAYS} days, {Math.round((100 * used) / given)} % were in lines that the agent then used.</p>
            <UsageBars days={days} /></>)}
      </Section>
      <Section title="Keeps failing" id="failing">
        {learned.fault.value && <Trouble fault={learned.fault.value} />}
        {learned.answer.value && (failing.length === 0
          ? <p class="quiet-row">No command failed three times.</p>
          : <ul class="plain">{failing.map((f) => <li key={f.id}><p><code>{f.newest}</code></p><p class="muted">{count(f.count, 'time')} in {count(f.sessions, 'session')}.</p></li>)}</ul>)}
      </Section>
    </aside>
  );
}
