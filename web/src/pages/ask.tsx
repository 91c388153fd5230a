// Ask: a question to a model, its answer as it comes, and the runs before.
//
// Runs work in a directory, so every call goes over the connection, bound to the project's. What
// happens in its runs then comes by itself, whoever began them.
import { useComputed, useSignal, useSignalEffect, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Operations } from '../api';
import { Diff } from '../diff';
import { callIn, Fault, listen, readOnly } from '../server';
import { go, kept, link, linkWith, now, pageTitle, path, project, query, replace } from '../state';
import { ago, Copy, count, Icon, number, Trouble, useAnswer, useFound } from '../ui';
import { sentence } from '../words';
import { Applet, useCapture, useEscape } from './session/applets';
import { ContextFooter, useSets } from './session/footer';
import { appletLink, fileLink } from './session/words';

type Run = Operations['get_run']['result'];
type Step = NonNullable<Run['history']>[number];
type Loop = Run['loops'][number];
type Call = <Name extends keyof Operations>(method: Name, params: Operations[Name]['params']) => Promise<Operations[Name]['result']>;

const PAGE = 30, MOST = 200;
/** How long until text that was on its way when a run was opened is stored. */
const STORED = 400;
/** This near to the end, a reader follows it. */
const NEAR_END = 40;

// Names and words.

/** The run in the address; empty for a new one. */
function runOfAddress() {
  const part = path.value.slice('/ask/'.length);
  if (part === 'new') return '';
  try { return decodeURIComponent(part); } catch { return part; }
}
/** The address of a run. Its name is unique in its project, and `/ask/new` is no run. */
const linkTo = (run: string, of: string) => linkWith(`/ask/${run === 'new' ? '%6eew' : encodeURIComponent(run)}`, { of: project.value === '*' ? of : null });

const isWorking = (run: Run) => ['queued', 'running', 'proposed'].includes(run.state);
const titleOf = (run: Run) => run.loops[0]?.prompt || run.run;
const TONES: Record<string, string> = { running: 'accent-text', proposed: 'warn-text', failed: 'bad' };
const STATES: Record<string, string> = { queued: 'waits', running: 'running', proposed: 'waits for you', failed: 'failed', aborted: 'stopped' };
const stateOf = ({ state, status }: Run | Loop) => STATES[state] ?? (status === 422 ? 'no answer' : 'done');
const dollars = (cost: number) => `$${cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`;
const DOING: Record<string, string> = { thinking: 'thinking…', processing: 'reading its answer…', retrying: 'the model does not answer; trying again…' };

function used({ telemetry: its }: Run) {
  if (!its?.turns) return '';
  const cost = its.cost_usd == null ? 'no price known' : dollars(its.cost_usd);
  return `${count(its.turns, 'turn')} · ${its.estimated ? 'about ' : ''}${number(its.prompt_tokens)} tokens in, ${number(its.completion_tokens)} out · ${cost}`;
}

/** What the model says to the user, in an answer that may not be complete: not its calls. */
function spoken(raw: string) {
  const end = /<update\b(?![^>]*\b102\b)[^>]*>([^]*?)(?:<\/update|$)/.exec(raw);
  const said = end ? end[1] : raw.replace(/<(think|search|get|set|update|ask_user|skill)\b[^>]*?(?:\/>|>[^]*?(?:<\/\1>|$)|$)/g, '');
  return said.replace(/<\/?\w*$/, '').trim();
}

/** Text that was stored, and text that was heard since, which may begin in it. */
function joined(stored: string, heard: string) {
  for (let n = Math.min(stored.length, heard.length); n > 0; n--) if (stored.endsWith(heard.slice(0, n))) return stored + heard.slice(n);
  return stored + heard;
}

// A conversation.

interface Round { number: number; prompt: string; steps: Step[]; loop?: Loop }

/** What happened, prompt by prompt. A copy has the prompts of its original only in the history. */
function rounds(run: Run): Round[] {
  const all: Round[] = [];
  for (const step of run.history ?? []) {
    if (step.tool === 'prompt') all.push({ number: Number(step.record?.split('//')[1]), prompt: step.body, steps: [] });
    else all[all.length - 1]?.steps.push(step);
  }
  for (const loop of run.loops) {
    const known = all.find((round) => round.number === loop.number);
    if (known) Object.assign(known, { prompt: loop.prompt, loop });
    else all.push({ number: loop.number, prompt: loop.prompt, steps: [], loop });
  }
  return all;
}

/** What agents did and were asked: the events around it say more than its path. */
const IS_EVENT = /^(obs|prompt):/;

/** A path with a link to what it names: a file, an entry, or what happened around it. */
function Path({ path: its, id, run, root, children = its }: { path: string; id?: number | null; run: Run; root: string; children?: ComponentChildren }) {
  const file = its.replace(/^file:\/\//, ''), scheme = /^\w+:\/\//.exec(file)?.[0];
  if (/[*?]/.test(file) || its.startsWith('log:')) return <code>{children}</code>;
  const to = !scheme ? fileLink(file.startsWith('/') ? file : `${root}/${file}`)
    : id && IS_EVENT.test(scheme) ? appletLink('around', [['id', String(id)]]) : linkWith('/entries', { path: its }, run.project);
  return <a href={to} title={its}><code>{children}</code></a>;
}

/** One thing the model did. Its thoughts and its last word are not among them. */
function Did({ step, run, root, reason }: { step: Step; run: Run; root: string; reason?: string | null }) {
  const { tool, target, body, status } = step;
  // Why the run failed is said at its end.
  if (tool === 'think' || (tool === 'error' && reason && body.endsWith(reason)) || status === 100 || status === 202 || (tool === 'update' && (status !== 102 || !body))) return null;
  const isBad = status >= 400;
  let found: number | undefined;
  try { found = (JSON.parse(step.attributes ?? '{}') as { found?: number }).found; } catch { /* it says nothing more */ }
  const said = tool === 'ask_user' && /^The user answered: ([^]*)/m.exec(body)?.[1];
  const about = target ?? '';
  return (
    <li class={isBad ? 'bad' : ''}><Icon name={tool === 'search' ? 'look' : tool === 'get' ? 'note' : tool === 'ask_user' ? 'ask' : 'other'} /><span>
      {tool === 'search' ? <>searched {about === 'the prompt' || !about ? 'memory and files for the question' : `“${about}”`} {found !== undefined && <span class="muted">{found ? `${number(found)} found` : 'nothing found'}</span>}</>
        : tool === 'get' || tool === 'set' ? tool === 'get' ? <>read <Path path={step.path} run={run} root={root} /></> : <>noted <code>{step.path}</code></>
          : tool === 'ask_user' ? <>asked “{about}” {said && <b>{said}</b>}</>
            : tool === 'update' ? <span class="muted">{body}</span> : tool === 'error' ? body : `${tool} ${about}`}
      {isBad && tool !== 'error' && <> <span class="verdict failed"><span aria-hidden="true">✗</span> {body.split('\n')[0] || step.outcome}</span></>}
    </span></li>
  );
}

/** Text of a turn, as far as this page heard it; `isWhole` if that was from its beginning. */
interface Heard { turn: number; text: string; isWhole: boolean }
const NOTHING: Heard = { turn: -1, text: '', isWhole: false };

function textOf(run: Run, heard: Heard) {
  if (heard.turn !== run.turn) return spoken(run.partial ?? '');
  return spoken(heard.isWhole ? heard.text : joined(run.partial ?? '', heard.text));
}

/** The answer while it comes. Who listens to the page hears it once it is complete. */
function Coming({ run, heard, doing, said }: { run: Run; heard: Signal<Heard>; doing: Signal<string>; said: { current: string } }) {
  const text = said.current = textOf(run, heard.value);
  return (
    <>
      {text && <div class="answer" aria-busy="true">{text}<span class="caret" aria-hidden="true" /></div>}
      <p class="turn-meta muted"><span class="dot busy" aria-hidden="true" />{run.turn > 0 && `turn ${run.turn} · `}{text ? 'answering…' : DOING[doing.value] ?? 'at work…'}</p>
    </>
  );
}

type Resolve = (action: 'accept' | 'reject' | 'error', output?: string, allow?: 'edits' | 'program' | 'tool') => void;

/** What waits for the user: a question, or something the model may not do alone. */
function Waits({ step, resolve }: { step: Step; resolve: Resolve }) {
  const isQuestion = step.tool === 'ask_user', isCommand = ['sh', 'env'].includes(step.tool), isCall = step.tool === 'mcp', title = step.target || step.body.split('\n')[0];
  const options = /^Options: (.*)/m.exec(step.body)?.[1].split(';').map((option) => option.trim()).filter(Boolean) ?? [];
  const facts: { rights?: string[]; sandbox?: string } = JSON.parse(step.attributes || '{}');
  return (
    <section class="waits" aria-labelledby="waits">
      <h2 id="waits">{isQuestion ? title : isCommand ? 'Run this command?' : isCall ? `Call ${title}?` : `${step.tool} ${title}`}</h2>
      {!isQuestion && (step.body.startsWith('--- ') ? <Diff text={step.body} label={title} /> : <pre tabIndex={0}>{step.body}</pre>)}
      {(isCommand || isCall) && <p class="muted">{facts.sandbox}{facts.rights?.length ? <strong> It asks for: {facts.rights.join(', ')}.</strong> : ''}</p>}
      {readOnly.value ? <p class="muted">It waits for an answer. This browser may only read.</p> : isQuestion
        ? <p class="actions">{options.map((option) => <button key={option} onClick={() => resolve('accept', option)}>{option}</button>)}<button class="quiet" onClick={() => resolve('error', 'the user does not know')}>I do not know</button></p>
        : <p class="actions"><button class="primary" onClick={() => resolve('accept')}>Accept</button><button onClick={() => resolve('accept', undefined, isCommand ? 'program' : isCall ? 'tool' : 'edits')}>{isCommand ? 'Accept all of this program' : isCall ? 'Accept all calls of this tool' : 'Accept all edits'}</button><button onClick={() => resolve('reject')}>Reject and stop</button></p>}
    </section>
  );
}

/** How a prompt ended that has no answer, and what can be done. */
function Ended({ run, loop, isLast, provider, resume }: { run: Run; loop: Loop; isLast: boolean; provider: string; resume: () => void }) {
  const isFailed = loop.state === 'failed' || (loop.state === 'aborted' && run.outcome !== 'abort');
  if (loop.state === 'completed') return loop.status === 422 ? <p class="muted">The model found no answer.</p> : loop.answer ? null : <p class="muted">{sentence(loop.reason || 'it ended without an answer')}</p>;
  const next = loop.status === 401 || loop.status === 403 ? <>Save its key with <code>nudge model key {provider || 'PROVIDER'}</code>, then try again.</>
    : loop.status === 413 ? 'It does not fit the model. Ask in a new run, or a model that reads more.' : <><code>nudge run show {run.run} --turns</code> shows every turn.</>;
  return (
    <>
      {isFailed && isLast ? <div class="fault" role="alert"><p>The run {loop.state === 'failed' ? 'failed' : 'stopped'}: {loop.reason || run.outcome}</p><p>{next}</p></div> : <p class="muted">{loop.reason && run.outcome !== 'abort' ? sentence(loop.reason) : 'Stopped.'}</p>}
      {isLast && !readOnly.value && <p class="actions"><button onClick={resume}>{isFailed ? 'Try again' : 'Go on'}</button></p>}
    </>
  );
}

function Sources({ run, root }: { run: Run; root: string }) {
  return (
    <>
      {!!run.sources?.length && <section class="sources" aria-labelledby="sources"><h2 id="sources">Based on</h2>
        <ul>{run.sources.map((its) => {
          const isEvent = its.id && IS_EVENT.test(its.path);
          return <li key={its.path}><Path path={its.path} id={its.id} run={run} root={root}>{its.id && `#${its.id} `}{isEvent ? its.preview : its.path}</Path><span class="muted">{its.cited ? 'named in the answer' : !isEvent && its.preview}</span></li>;
        })}</ul></section>}
      {!!run.unknowns?.length && <section class="sources" aria-labelledby="unknowns"><h2 id="unknowns">Open questions</h2>
        <ul>{run.unknowns.map((its) => <li key={its.path}><span>{its.body}</span></li>)}</ul></section>}
    </>
  );
}

/** What is relevant to the session of a run. It is there once the model answered. */
function Foot({ session }: { session: string }) {
  const sets = useSets(session);
  useCapture(session);
  return sets.value && <ContextFooter sets={sets.value} />;
}

function Talk({ run, root, provider, act, again }: { run: Run; root: string; provider: string; act: (method: 'resume_run' | 'resolve_run', more?: object) => void; again: () => void }) {
  const heard = useSignal<Heard>(NOTHING), doing = useSignal('');
  const scroller = useRef<HTMLDivElement>(null), inside = useRef<HTMLDivElement>(null), isFollowing = useRef(true), said = useRef('');
  useEffect(() => {
    // What is on its way when one begins to listen is in neither the stored text nor the heard one.
    let timer = setTimeout(again, STORED);
    const ends = listen((method, event) => {
      if (method === 'back') { heard.value = NOTHING; clearTimeout(timer); timer = setTimeout(again, STORED); }
      const note = event as { run?: string; turn?: number; text?: string; status?: string };
      if (note.run !== run.run || note.turn === undefined) return;
      if (method === 'run/progress') {
        doing.value = note.status ?? '';
        if (note.status === 'thinking') heard.value = { turn: note.turn, text: '', isWhole: true };
      } else if (method === 'ui/render') {
        const { turn, text, isWhole } = heard.value, isSame = turn === note.turn;
        heard.value = { turn: note.turn, text: (isSame ? text : '') + (note.text ?? ''), isWhole: isSame && isWhole };
      }
    });
    const watch = new ResizeObserver(() => { const its = scroller.current; if (its && isFollowing.current) its.scrollTop = its.scrollHeight; });
    for (const part of [scroller.current, inside.current]) if (part) watch.observe(part);
    return () => { clearTimeout(timer); ends(); watch.disconnect(); };
  }, []);
  const follow = () => { const its = scroller.current; if (its) isFollowing.current = its.scrollHeight - its.scrollTop - its.clientHeight < NEAR_END; };
  const all = rounds(run), last = all[all.length - 1], isOver = !isWorking(run);
  return (
    <div class="messages" ref={scroller} onScroll={follow} tabIndex={0} role="log" aria-label={`Run ${run.run}`}>
      <div ref={inside}>
        <p class="turn-meta muted"><a class="back" href={link('/ask')}>Runs</a> <code>{run.run}</code> · {run.model} · in {run.project}{run.parent && <> · copy of {run.parent}</>} · <span class={TONES[run.state]}>{stateOf(run)}</span></p>
        {all.map((round) => {
          const { loop } = round, isLast = round === last;
          const text = loop?.answer || (loop ? '' : round.steps.filter((step) => step.tool === 'update' && step.status !== 102).pop()?.body);
          const lost = isLast && loop?.state === 'aborted' && !text ? said.current : '';
          return (
            <article key={round.number} aria-label={`Question ${round.number}`}>
              <div class="you"><p>{round.prompt}</p></div>
              {loop?.state === 'queued' && run.state !== 'queued' && <p class="turn-meta muted">It waits until the answer before it is there.</p>}
              <ul class="steps">{round.steps.map((step) => <Did key={step.record} step={step} run={run} root={root} reason={loop?.reason} />)}</ul>
              {(text || lost) && <div class="answer">{text || lost}</div>}
              {loop && ['completed', 'failed', 'aborted'].includes(loop.state) && <Ended run={run} loop={loop} isLast={isLast && isOver} provider={provider} resume={() => act('resume_run')} />}
              {loop?.state === 'running' && !run.waits_for && <Coming run={run} heard={heard} doing={doing} said={said} />}
              {run.waits_for && loop && ['running', 'proposed'].includes(loop.state) && <Waits key={run.waits_for.path} step={run.waits_for} resolve={(action, output, allow) => act('resolve_run', { resolution: { path: run.waits_for?.record, action, output, allow } })} />}
              {loop?.state === 'running' && run.output?.filter((its) => its.tail).map((its) => <pre key={its.path} tabIndex={0} aria-label={its.path}>{its.tail}</pre>)}
            </article>);
        })}
        {isOver && <Sources run={run} root={root} />}
        {isOver && used(run) && <p class="turn-meta muted">{used(run)}</p>}
      </div>
    </div>
  );
}

// The page.

function List({ runs, name, more }: { runs: Run[] | null; name: string; more?: () => void }) {
  return (
    <nav class="run-list" aria-label="Runs">
      <header><p class="list-title">Ask</p><a class="button" href={link('/ask/new')}>New</a></header>
      {runs?.length === 0 && <p class="muted quiet-row">No run yet. What you ask here and with <code>nudge ask</code> is listed here.</p>}
      <ul>{runs?.map((run) => {
        const cost = run.telemetry?.cost_usd;
        return (
          <li key={`${run.project} ${run.run}`}><a data-row href={linkTo(run.run, run.project)} aria-current={run.run === name ? 'page' : undefined}>
            <span class="title">{titleOf(run)}</span>
            <span class="sub"><span class={TONES[run.state]}>{stateOf(run)}</span> · {run.model}{project.value === '*' && ` · ${run.project}`}{cost != null && ` · ${dollars(cost)}`} · {ago(now.value - Date.parse(run.updated_at))}</span></a></li>);
      })}</ul>
      {more && <p class="more"><button onClick={more}>Show more</button></p>}
    </nav>
  );
}

const isLocal = (address?: string | null) => /^https?:\/\/(127\.|localhost|\[::1\])/.test(address ?? '');

export function Ask() {
  const places = useAnswer('list_projects', () => ({}), (method) => method === 'session.listChanged');
  const picked = useSignal<string | null>(null), model = useSignal(kept.get('model')), limit = useSignal(PAGE);
  const acts = useSignal(false), sending = useSignal(false), trouble = useSignal<Fault | null>(null), field = useRef<HTMLTextAreaElement>(null);
  const name = useComputed(runOfAddress), isFirst = useRef(true);
  useEffect(() => { isFirst.current = false; }, []);
  useEscape();

  // Where the page works: the chosen project, that of the run, the picked one, or the newest.
  const of = useComputed(() => (project.value === '*' ? query.value.get('of') : project.value));
  const known = useComputed(() => [...places.answer.value?.projects ?? []].sort((a, b) => (b.last_active ?? '').localeCompare(a.last_active ?? '')));
  const open = known.value.filter((its) => !its.private || its.name === of.value);
  const here = useComputed(() => { const wanted = of.value ?? picked.value; return known.value.find((its) => its.name === wanted) ?? (of.value === null ? known.value.find((its) => !its.private) : undefined); });
  const root = useComputed(() => here.value?.root ?? '');
  const within: Call = (method, params) => callIn(root.value, method, params);

  const runs = useFound(() => root.value ? within('get_runs', { project: project.value, limit: limit.value }) : null, (method, scheme) => method === 'run/state' || method === 'feed/gone' || scheme === 'run');
  const models = useFound(() => root.value ? within('get_models', {}) : null, () => false);
  const found = useFound(() => root.value && name.value && of.value ? within('get_run', { run: name.value, project: of.value }) : null, () => false);
  useEffect(() => {
    // A model is added in a terminal.
    addEventListener('focus', models.again);
    const ends = listen((method, event) => {
      const its = event as Partial<Run>;
      if (method === 'run/state' && its.run === name.value && its.project === of.value) found.answer.value = event as unknown as Run;
    });
    return () => { removeEventListener('focus', models.again); ends(); };
  }, []);
  // An address without a project means the newest run of this name.
  useSignalEffect(() => {
    const its = name.value && of.value === null ? runs.answer.value?.runs.find((one) => one.run === name.value) : undefined;
    if (its) replace(linkTo(its.run, its.project));
  });
  useSignalEffect(() => { void name.value; trouble.value = found.fault.value = null; });

  const run = found.answer.value?.run === name.value && found.answer.value.project === of.value ? found.answer.value : null;
  const title = run && titleOf(run);
  useEffect(() => { pageTitle.value = title; return () => { pageTitle.value = null; }; }, [title]);
  const all = models.answer.value?.models, chosen = all?.find((its) => its.alias === model.value) ?? all?.[0];
  const provider = all?.find((its) => its.alias === run?.model)?.actual.split('/')[0] ?? '';

  const attempt = async (work: () => Promise<unknown>) => {
    if (sending.value) return;
    sending.value = true;
    try { await work(); trouble.value = null; } catch (error) { if (error instanceof Fault) trouble.value = error; else throw error; } finally { sending.value = false; }
  };
  const act = (method: 'abort_run' | 'resume_run' | 'resolve_run', more: object = {}) => void attempt(async () => {
    await within(method, { run: name.value, project: of.value, ...more } as Operations['resolve_run']['params']);
    found.again();
  });
  const waits = run?.waits_for?.tool === 'ask_user' ? run.waits_for : null;
  const send = () => void attempt(async () => {
    const text = field.current?.value.trim();
    if (!text) return;
    if (waits) await within('resolve_run', { run: name.value, project: of.value, resolution: { path: waits.record, action: 'accept', output: text } });
    else if (run) await within(acts.value ? 'act' : 'ask', { prompt: text, run: run.run });
    else if (here.value && chosen) {
      const its = await within(acts.value ? 'act' : 'ask', { prompt: text, model: chosen.alias });
      go(linkTo(its.run, here.value.name));
    }
    if (field.current) field.current.value = '';
    if (run) found.again();
  });

  const isNew = !name.value, canAsk = !readOnly.value && (run || (isNew && chosen && here.value));
  const fault = places.fault.value ?? found.fault.value ?? (isNew ? models.fault.value ?? runs.fault.value : null);
  const session = run && `run-${run.run}-${Date.parse(run.created_at)}`, hasSession = run && (run.turn > 1 || !isWorking(run));
  return (
    <div class={`chat ${path.value === '/ask' ? '' : 'in-run'} ${run && query.value.has('applet') ? 'with-applet' : ''}`} aria-busy={!fault && !(isNew ? places.answer.value : run)}>
      <h1 class="visually-hidden">{title ?? 'Ask'}</h1>
      <List runs={runs.answer.value?.runs ?? null} name={name.value} more={runs.answer.value?.more && limit.value < MOST ? () => { limit.value += PAGE; } : undefined} />
      <div class="talk">
        {run ? <Talk key={`${run.project} ${run.run}`} run={run} root={root.value} provider={provider} act={act} again={found.again} />
          : <div class="fresh">
            {fault && <Trouble fault={fault} />}
            {!isNew ? fault && <p><a href={link('/ask')}>All runs</a></p>
              : places.answer.value && !here.value ? <div class="empty"><h2>No project is known yet</h2><p class="muted">A model answers from what agents learned in a project. Start an agent in one, and it is here.</p></div>
                : all?.length === 0 ? <div class="empty"><h2>No model is configured</h2><p class="muted">Nudge needs a model only to answer questions: one on this machine, or one of a provider. Add one in your terminal:</p><p class="command"><Copy text="nudge model add local ollama/qwen2.5-coder:1.5b --url http://127.0.0.1:11434" /></p></div>
                  : readOnly.value ? <div class="empty"><h2>This browser may only read</h2><p class="muted">It shows what others asked. <code>nudge ui</code> signs in with the right to ask.</p></div>
                    : chosen && here.value && <div class="empty"><h2>Ask your memory</h2>
                      <p class="muted">The model answers from what your agents learned and from the files of {here.value.name}. It executes nothing and changes no file, unless it may act: then you decide on each change and each command.</p>
                      <p class="pickers">
                        <label class="field">Model <select value={chosen.alias} onChange={(e) => { model.value = e.currentTarget.value; kept.set('model', model.value); }}>{all?.map((its) => <option key={its.alias} value={its.alias}>{its.alias} · {its.actual}{isLocal(its.base_url) && ' · on this machine'}</option>)}</select></label>
                        {project.value === '*' && <label class="field">Project <select value={here.value.name} onChange={(e) => { picked.value = e.currentTarget.value; }}>{open.map((its) => <option key={its.id} value={its.name}>{its.name}</option>)}</select></label>}
                      </p></div>}
          </div>}
        {canAsk && <form class="composer" onSubmit={(e) => { e.preventDefault(); send(); }}>
          {trouble.value && <Trouble fault={trouble.value} />}
          <div><textarea ref={field} rows={1} aria-label={waits ? 'Answer' : 'Question'} placeholder={waits ? 'Your answer' : run ? 'Ask more in this run' : 'What do you want to know?'}
            onKeyDown={(e) => { if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); send(); } }} />
            {run && isWorking(run) && <button type="button" onClick={() => act('abort_run')}>Stop</button>}
            {!waits && <label class="may"><input type="checkbox" checked={acts.value} onChange={() => { acts.value = !acts.value; }} /> May act</label>}
            <button class="primary" disabled={sending.value}>{waits ? 'Answer' : acts.value ? 'Act' : 'Ask'}</button></div>
        </form>}
        {session && hasSession && <Foot key={session} session={session} />}
      </div>
      {session && <Applet session={session} head={null} isFirst={isFirst.current} />}
    </div>
  );
}
