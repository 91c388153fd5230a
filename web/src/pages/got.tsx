// What agents got: each injection line by line, what was left out, and what it cost.
import { signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Operations } from '../api';
import { call, Fault, readOnly, signedIn } from '../server';
import { link, linkWith, now, project, query, say } from '../state';
import { agentName, count, number, PAGE, Trouble, UsageBars, useAnswer, usePages } from '../ui';
import { about, At, causeOf, dayAndTime, kindOf, sentence, short, toYou, whom } from '../words';

type Why = Operations['explain_injection']['result'];
type Injection = NonNullable<Why['injection']>;
type Line = Injection['injected'][number];
type Time = NonNullable<Why['entry']>['injected'][number];
type Usage = Operations['injection_usage']['result'];

const DAYS = 14;
const isOfSessions = (method: string, scheme?: string) => method.startsWith('session.') || scheme === 'session' || scheme === 'prompt';
const listOf = (answer: Why | null) => (answer?.injection ? [answer.injection, ...(answer.earlier ?? [])] : []);
const nameOf = (one: Injection) => `${one.at} ${one.session} ${one.cause}`;
const chosen = () => (project.value === '*' ? {} : { project: project.value });

const SECTIONS: Record<string, string> = {
  stated: 'You stated', stated_by_agents: 'Agents stated', stopped: 'Where the work stopped', failed: 'What failed before', notes: 'What repeats here', found: 'About the prompt',
  intents: 'What you asked for', project: 'What was done here', elsewhere: 'Other projects', recovery: 'Before the context was emptied', context: 'Marked as relevant', hypothesis: 'Hypotheses',
  ask: 'A question to the agent',
};
const sectionOf = (line: Line) => SECTIONS[line.section ?? ''] ?? (line.section ?? 'Other').replaceAll('_', ' ');
/** The question for a rule is no line to stop showing. */
const canStop = (line: Line) => line.id > 0 && line.section !== 'ask';

const FEATURES: Record<string, string> = {
  covered_in_line: 'of the prompt’s words in the line', rare_unseen: 'long words that nothing has', mass: 'rarity of the shared words', second_rarest: 'second rarest word',
  rare_in_line: 'rare words in the line', second_rarest_in_line: 'second rarest word in the line', names: 'shared names', name_share: 'share of the prompt’s names', age: 'age',
  same_session: 'others of its session', covered: 'of the prompt’s words', covered_by_title: 'of the prompt’s words in the title', unseen: 'words that nothing has', shared: 'shared words',
  rank: 'rank', rank_of_ideal: 'rank, of the best possible', words: 'words of the prompt', name_mass: 'rarity of the shared names', rare_shared: 'rare shared words',
};

// Which entries are no longer shown, and where: what was done here, over what the server said.

const stopped = signal<ReadonlyMap<string, boolean>>(new Map());
const placeOf = (id: number, its: string) => `${its} ${id}`;
const note = (its: [string, boolean][]) => { stopped.value = new Map([...stopped.value, ...its]); };

async function stop(id: number, its: string, again: boolean) {
  try {
    const { what } = await call('silence', { id, project: its, ...(again && { again }) });
    note([[placeOf(id, its), !again]]);
    const where = its === '*' ? 'Sessions' : `Sessions in ${its}`;
    say(again ? `${where} may get #${id} again: ${what}` : `${where} no longer get #${id}: ${what}`, () => void stop(id, its, !again));
  } catch (error) { if (error instanceof Fault) say(error.next ? `${sentence(error.message)} ${sentence(error.next)}` : sentence(error.message)); }
}
const Stop = ({ id, its }: { id: number; its: string }) => {
  const is = stopped.value.get(placeOf(id, its)) ?? false;
  return readOnly.value ? null : <button class="link" onClick={() => void stop(id, its, is)}>{is ? 'Show again' : 'Stop showing'}<span class="visually-hidden"> #{id}</span></button>;
};

/** How much of the most something is. */
const Bar = ({ share, label }: { share: number; label?: string }) => (
  <svg class="share-bar" viewBox="0 0 100 5" preserveAspectRatio="none" {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' })}><rect class="all" width="100" height="5" /><rect class="share" width={Math.max(0, Math.min(100, 100 * share))} height="5" /></svg>
);

// One injection.

const Used = ({ at }: { at?: string | null }) => (at ? <span class="good"><span aria-hidden="true">✓</span> used <At at={at} class="" /></span> : <span class="muted">not used</span>);

function Lines({ one, its }: { one: Injection; its: string }) {
  const sections: [string, Line[]][] = [];
  for (const line of one.injected) {
    const name = sectionOf(line);
    if (sections[sections.length - 1]?.[0] === name) sections[sections.length - 1][1].push(line); else sections.push([name, [line]]);
  }
  const frame = one.tokens - one.injected.reduce((n, line) => n + line.tokens, 0);
  return (
    <table class="ledger"><caption class="visually-hidden">Lines of the injection</caption>
      <thead><tr><th scope="col" class="num">tokens</th><th scope="col">line</th><th scope="col">why</th><th scope="col">used</th>{!readOnly.value && <th scope="col"><span class="visually-hidden">action</span></th>}</tr></thead>
      {sections.map(([name, lines], i) => (
        <tbody key={i}><tr class="sect"><th scope="rowgroup" colSpan={readOnly.value ? 4 : 5}>{name}</th></tr>
          {lines.map((line) => (
            <tr key={line.id} data-line={line.id} class={stopped.value.get(placeOf(line.id, its)) ? 'off' : ''}><td class="num">{number(line.tokens)}</td>
              <td class="line-text"><span class="what">{about(line.what)}</span> {line.id > 0 && <a class="muted" href={linkWith('/got', { id: line.id })}>#{line.id}</a>}</td><td class="muted because">{toYou(line.why)}</td><td class="used">{line.section !== 'ask' && <Used at={line.used_at} />}</td>
              {!readOnly.value && <td class="act">{canStop(line) && <Stop id={line.id} its={its} />}</td>}</tr>))}</tbody>))}
      {frame > 0 && <tbody><tr class="frame"><td class="num">{number(frame)}</td><td class="muted" colSpan={readOnly.value ? 3 : 4}>frame and headings</td></tr></tbody>}
    </table>
  );
}

function Decision({ its }: { its: NonNullable<Injection['decision']> }) {
  const features = Object.entries(its.features), most = Math.max(1, ...features.map(([, value]) => value));
  return (
    <div class="decision"><p><b>Chance to help: {its.score.toFixed(2)}</b>, at least {its.least.toFixed(2)} needed. Nudge says nothing below that.</p>
      <details><summary>What the chance rests on</summary>
        <dl>{features.map(([name, value]) => <div key={name}><dt>{FEATURES[name] ?? name.replaceAll('_', ' ')}</dt><dd><Bar share={value / most} label={`${(100 * value / most).toFixed(0)} %`} />{(value + 0).toFixed(2)}</dd></div>)}</dl></details></div>
  );
}

function Card({ one, agent }: { one: Injection; agent?: string }) {
  const its = one.project ?? project.value, used = one.injected.filter((line) => line.used_at).length;
  // Which of its statements are no longer shown.
  useEffect(() => {
    let current = true;
    if (its !== '*') {
      call('knows', { project: its, all: true }).then(
        ({ statements }) => { if (current) note(statements.filter((s) => s.silenced).map((s) => [placeOf(s.id, its), true])); },
        () => { /* only the button's word is not known */ },
      );
    }
    return () => { current = false; };
  }, [its]);
  return (
    <article class="card">
      <header><p class="muted">{dayAndTime(one.at)} · {agent && `${agentName(agent)} · `}{its !== '*' && `${its} · `}<a href={link(`/s/${encodeURIComponent(one.session)}`)}>session {short(one.session)}</a></p>
        <h2>{causeOf(one.cause)}: {count(one.lines, 'line')}, {count(one.tokens, 'token')}, {used} used</h2></header>
      {one.decision && <Decision its={one.decision} />}
      <Lines one={one} its={its} />
      {one.left_out.length > 0 && <details class="left-out"><summary>{number(one.left_out.length)} left out, and why</summary>
        <ul class="left">{one.left_out.map((line) => <li key={line.id}><span><span class="what">{about(line.what)}</span> <a class="muted" href={linkWith('/got', { id: line.id })}>#{line.id}</a></span><span class="muted">{toYou(line.why)}{line.tokens > 0 && ` · ${count(line.tokens, 'token')}`}</span></li>)}</ul></details>}
    </article>
  );
}

// The history of one entry.

const Times = ({ list, isGiven }: { list: Time[]; isGiven: boolean }) => (
  <ul class="times-list">{list.map((time) => (
    <li key={`${time.at} ${time.session}`}><span class="time">{dayAndTime(time.at)}</span><span>{causeOf(time.cause)}, <a href={link(`/s/${encodeURIComponent(time.session)}`)}>session {short(time.session)}</a><span class="muted"> · {toYou(time.why)}{time.tokens > 0 && ` · ${count(time.tokens, 'token')}`}</span></span>{isGiven && <Used at={time.used_at} />}</li>))}</ul>
);

function OfEntry({ id }: { id: number }) {
  const found = useAnswer('explain_injection', () => ({ id, project: project.value }), isOfSessions);
  const whole = useSignal<Operations['get_observations']['result'][number] | null>(null);
  useEffect(() => {
    let current = true;
    whole.value = null;
    call('get_observations', { ids: [id] }).then(([one]) => { if (current) whole.value = one ?? null; }, () => { /* the short form is shown */ });
    return () => { current = false; };
  }, [id]);
  const entry = found.answer.value?.entry, its = whole.value?.project ?? project.value;
  const isStopped = entry?.now.includes('nudge stop-showing') ?? false;
  useEffect(() => { if (isStopped) note([[placeOf(id, its), true]]); }, [isStopped, id, its]);
  return (
    <div class="page got" aria-busy={!entry && !found.fault.value}>
      <div class="lead"><p class="crumbs"><a href={link('/got')}>What agents got</a></p><h1>Did agents get #{id}?</h1></div>
      {found.fault.value && <Trouble fault={found.fault.value} />}
      {entry && <article class="card of-entry">
        <p class="muted">{whole.value ? kindOf(whole.value.obs_type) : 'entry'}{whole.value?.project && ` · ${whole.value.project}`}{whole.value?.stated_by && ` · ${whom(whole.value.stated_by)}`}{whole.value?.session_id && <> · <a href={link(`/s/${encodeURIComponent(whole.value.session_id)}`)}>session {short(whole.value.session_id)}</a></>}</p>
        {(whole.value?.content ?? entry.what) && <blockquote class="whole">{whole.value?.content ?? entry.what}</blockquote>}
        <p class="effect">{sentence(entry.now)}</p>
        {whole.value && <p class="actions"><Stop id={id} its={its} /></p>}
        <h2 class="small-head">{entry.injected.length ? `Sessions got it ${entry.injected.length === 1 ? 'once' : `${number(entry.injected.length)} times`}` : 'No session got it'}</h2>
        <Times list={entry.injected} isGiven={true} />
        {entry.left_out.length > 0 && <><h2 class="small-head">Left out {entry.left_out.length === 1 ? 'once' : `${number(entry.left_out.length)} times`}</h2><Times list={entry.left_out} isGiven={false} /></>}
      </article>}
    </div>
  );
}

// All of them.

function byDay(days: Usage['days']) {
  return Array.from({ length: DAYS }, (_, i) => {
    const day = new Date(now.value - (DAYS - 1 - i) * 86_400_000).toISOString().slice(0, 10), its = days.find((d) => d.day === day);
    return { day, given: its?.tokens ?? 0, used: its?.used_tokens ?? 0 };
  });
}
const median = (all: number[]) => { const sorted = [...all].sort((a, b) => a - b); return sorted[Math.floor(sorted.length / 2)]; };
const KINDS: [string, string[]][] = [
  ['At a start, median', ['startup', 'fork', 'resume', 'subagent', 'clear', 'compact']], ['With a prompt, median', ['prompt']], ['Before or after a command, median', ['before_tool', 'after_tool', 'outcome']],
];

function Figures({ usage, list }: { usage: Usage; list: Injection[] }) {
  const { total } = usage;
  return (
    <div class="band"><UsageBars days={byDay(usage.days)} />
      <dl class="facts wide">
        {KINDS.map(([name, causes]) => { const its = list.filter((one) => causes.includes(one.cause)).map((one) => one.tokens); return its.length > 0 && <div key={name}><dt>{name}</dt><dd>{count(median(its), 'token')}</dd></div>; })}
        <div><dt>Lines used</dt><dd>{number(total.used_lines)} of {number(total.lines)}</dd></div></dl></div>
  );
}

function Pick({ one, isShown, show, most, agent }: { one: Injection; isShown: boolean; show: () => void; most: number; agent?: string }) {
  const where = one.project ?? (project.value === '*' ? '' : project.value);
  return (
    <li><button class="row" data-row data-injection={nameOf(one)} aria-pressed={isShown} onFocus={show} onClick={show}>
      <At at={one.at} /><span class="grow"><span class="title">{causeOf(one.cause)}</span><span class="sub">{agent ? agentName(agent) : `session ${short(one.session)}`}{where && ` in ${where}`}</span></span>
      <span class="tok">{number(one.tokens)}<span class="visually-hidden"> tokens</span><Bar share={one.tokens / most} /></span></button></li>
  );
}

function All() {
  const found = useAnswer('explain_injection', () => ({ project: project.value, limit: PAGE }), isOfSessions);
  const usage = useAnswer('injection_usage', () => ({ days: DAYS, ...chosen() }), isOfSessions);
  const shown = useSignal<string | null>(null);
  useSignalEffect(() => { void project.value; shown.value = null; });
  const answer = found.answer.value, newest = useComputed(() => found.answer.value && listOf(found.answer.value));
  const { rows: list, more } = usePages(newest, nameOf, async (last) => listOf(await call('explain_injection', { project: project.value, limit: PAGE, before: last.at })));
  const one = list.find((its) => nameOf(its) === shown.value) ?? list[0], most = Math.max(1, ...list.map((its) => its.tokens));
  const agents = new Map(usage.answer.value?.sessions.map((s) => [s.session, s.agent])), total = usage.answer.value?.total;
  return (
    <div class="page got" aria-busy={signedIn.value === 'yes' && !answer && !found.fault.value}>
      <div class="lead"><h1>What agents got</h1>
        {total && <p class="summary">{total.tokens ? <>In {DAYS} days Nudge gave <b>{count(total.tokens, 'token')}</b> in {count(total.injections, 'injection')}. <b>{Math.round((100 * total.used_tokens) / total.tokens)} %</b> of them were in lines that the agent then used.</> : `Nudge gave nothing in ${DAYS} days.`}</p>}</div>
      {found.fault.value && <Trouble fault={found.fault.value} />}
      {usage.fault.value && <Trouble fault={usage.fault.value} />}
      {usage.answer.value && total && total.tokens > 0 && <Figures usage={usage.answer.value} list={list} />}
      {answer && !one && <div class="empty"><h2>Nothing was given yet</h2><p class="muted">When a session begins, an agent gets your statements and where the work stopped. Each such text appears here, line by line.</p>
        <p class="muted">See what a new session would get:</p><p class="command"><code>nudge context</code></p></div>}
      {one && <div class="split narrow-left">
        <ul class="rows picks" aria-label="Injections">{list.map((its) => <Pick key={nameOf(its)} one={its} isShown={its === one} show={() => { shown.value = nameOf(its); }} most={most} agent={agents.get(its.session)} />)}</ul>
        <Card key={nameOf(one)} one={one} agent={agents.get(one.session)} />
      </div>}
      {more}
    </div>
  );
}

export function Got() {
  const id = Number(query.value.get('id'));
  return Number.isInteger(id) && id > 0 ? <OfEntry key={id} id={id} /> : <All />;
}
