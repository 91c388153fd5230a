// Review: decide on proposals, one key each.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Operations } from '../api';
import { Diff, Replace } from '../diff';
import { decided, proposals, proposalsFault, readProposals, type Proposal } from '../proposals';
import { call, Fault, readOnly } from '../server';
import { link, project, say } from '../state';
import { agentName, count, inWords, MOST, Rest, Trouble, useKeys } from '../ui';
import { At, dayAndTime, sentence, short, toYou, whom } from '../words';

type Decision = Operations['accept_proposal']['result'];
type Scope = NonNullable<Proposal['scope']>;

// What a proposal is.

const isFile = (p: Proposal) => !!p.path && !p.path.includes('://');
/** What is not a statement or a hint has no undo: it asks before it is done. */
const asksTwice = (p: Proposal) => !!p.path;
const canReword = (p: Proposal) => !!p.text && p.action !== 'forget';
const value = (p: Proposal) => (typeof p.value === 'string' ? p.value : JSON.stringify(p.value, null, 2) ?? '');

function what(p: Proposal): string {
  if (p.path) return p.to ? `${p.path} → ${p.to}` : p.path;
  return p.component ? `${p.component}/${p.key}` : p.text ?? p.current ?? `proposal ${p.id}`;
}
const kindOf = (p: Proposal) => (isFile(p) ? 'file' : p.tool ? 'call' : p.kind === 'command' ? 'command' : p.path ? 'entry' : p.component ? 'hint' : p.kind === 'routine' ? 'you keep asking' : p.action === 'remember' ? 'you said' : 'statement');

const VERBS: Record<Proposal['action'], string> = { set: 'Change', delete: 'Delete', move: 'Rename', copy: 'Copy', remember: 'Remember', correct: 'Change', forget: 'Forget', run: 'Run' };
function Title({ p }: { p: Proposal }) {
  if (p.path) return <>{VERBS[p.action]} <code>{p.path}</code>{p.to && <> to <code>{p.to}</code></>}</>;
  if (p.component) return <>{p.action === 'delete' ? 'Delete' : 'Set'} <code>{p.component}/{p.key}</code></>;
  if (p.action === 'run') return <>Run <code>{p.text}</code></>;
  if (p.action === 'correct') return <>Change to “{p.text}”</>;
  return <>{p.kind === 'routine' ? 'Remember as a routine' : VERBS[p.action]} “{p.text ?? p.current}”</>;
}

/** Where a hint applies. */
export function conditions(scope: Scope): string {
  const words = [
    scope.cwd_glob?.length && `directory ${scope.cwd_glob.join(', ')}`, scope.repo?.length && `repository ${[scope.repo].flat().join(', ')}`,
    scope.branch?.length && `branch ${scope.branch.join(', ')}`, scope.os?.length && `on ${scope.os.join(', ')}`,
    scope.env_required?.length && `with ${scope.env_required.join(', ')}`,
    ...Object.entries(scope.env_match ?? {}).map(([name, its]) => `${name} is ${[its].flat().join(' or ')}`),
  ];
  return words.filter(Boolean).join('; ');
}

/** What happens if it is accepted. */
function effect(p: Proposal): string {
  const where = p.project ? `in ${p.project}` : 'there', inDirectory = p.directory ? `, in ${p.directory}` : '';
  if (p.action === 'run') return `The run ${p.run} goes on, and ${p.tool ? 'calls' : 'runs'} it${p.sandbox ? ` ${p.sandbox}` : ''}${p.rights?.length ? `, with ${p.rights.join(', ')}` : ''}.`;
  if (isFile(p)) return { delete: 'Nudge removes the file.', move: 'Nudge renames the file.', copy: 'Nudge copies the file.' }[p.action as string] ?? 'Nudge writes the file, if it has not changed since this was proposed.';
  if (p.path) return p.action === 'delete' ? 'Nudge deletes the entry.' : 'Nudge changes the entry. Its last version stays readable.';
  if (p.component) {
    const conditioned = p.scope && conditions(p.scope);
    if (p.action === 'delete') return 'Sessions no longer get this hint. `nudge log` keeps its last version.';
    return `Sessions get this value, as your statement${conditioned ? `, where this holds: ${conditioned}` : ''}.${p.ttl && p.ttl !== 'forever' ? ` It lasts for: ${p.ttl}.` : ''}`;
  }
  if (p.action === 'forget') return 'New sessions no longer get it.';
  if (p.action === 'correct') return 'New sessions get the new words. The old ones end.';
  const ends = p.contradicts?.length ? ` What it contradicts for the same place ends: ${p.contradicts.map((c) => `#${c.id}`).join(', ')}.` : '';
  const already = p.in_force ? ' They get it already, because you said it in two sessions.' : '';
  return `Every new session ${where}${inDirectory} gets this line, as your statement.${already}${ends}`;
}

/** What was decided, in words. */
const done = (p: Proposal, isAccepted: boolean, text?: string) => `${isAccepted ? 'Accepted' : 'Dropped'}: ${text ?? what(p)}`;

// Taking a decision back.

/** Does it, and lets the proposal wait again where the server can. */
async function undone(p: Proposal, words: string, act?: () => Promise<unknown>) {
  try {
    await act?.();
    const waits = await call('reopen_proposal', { id: p.id }).then(() => true, (error: unknown) => { if (!act) throw error; return false; });
    if (waits) decided.value = new Set([...decided.value].filter((id) => id !== p.id));
    say(waits ? `${words}. It waits for you again.` : `${words}.`);
  } catch (error) { if (error instanceof Fault) say(error.next ? `${sentence(error.message)} ${sentence(error.next)}` : sentence(error.message)); }
  readProposals();
}

/** How an accepted proposal is taken back; nothing if no operation can. */
function takeBack(p: Proposal, its: Decision): (() => void) | undefined {
  const { statement, replaced = [] } = its;
  const ended = replaced.map((one) => `#${one.id}`).join(', ');
  if (statement && p.action === 'remember') {
    // The old words come back if they take the place of the new ones.
    if (replaced.length === 1) return () => void undone(p, `Taken back: #${replaced[0].id} is in force again`, () => call('correct', { id: statement.id, text: replaced[0].text }));
    return () => void undone(p, ended ? `Taken back, but what it replaced stays ended: ${ended}` : `Taken back: ${statement.text}`, () => call('forget', { id: statement.id }));
  }
  if (statement && p.action === 'correct' && p.current) return () => void undone(p, `Taken back: ${p.current}`, () => call('correct', { id: statement.id, text: p.current ?? '' }));
  if (p.component && p.key && p.current_stated_by) return () => void undone(p, `Taken back: ${what(p)} is as before`, () => call('undo_hint', { component: p.component, key: p.key }));
  return undefined;
}
/** A dropped proposal waits again; the text of a dropped change of a file is gone. */
const takeDropBack = (p: Proposal) => (p.path ? undefined : () => void undone(p, `Taken back: ${what(p)}`));

// What the user said.

/** The sentence in its prompt, with some text around it. */
function around(prompt: string, text: string): string {
  const line = prompt.replace(/\s+/g, ' '), room = 120;
  const at = line.toLowerCase().indexOf(text.replace(/\s+/g, ' ').toLowerCase());
  if (at < 0) return text;
  const from = Math.max(0, at - room), end = Math.min(line.length, at + text.length + room);
  return `${from > 0 ? '… ' : ''}${line.slice(from, end)}${end < line.length ? ' …' : ''}`;
}

function Said({ p }: { p: Proposal }) {
  const prompts = useSignal<ReadonlyMap<number, string>>(new Map());
  const said = p.said ?? [], ids = said.flatMap((one) => one.prompt ?? []);
  useEffect(() => {
    if (!ids.length) return;
    let current = true;
    call('get_observations', { ids: ids.slice(0, 50) }).then((found) => { if (current) prompts.value = new Map(found.map((one) => [one.id, one.content])); }, () => { /* the words of the proposal are shown */ });
    return () => { current = false; };
  }, [p.id, ids.join()]);
  if (!said.length) return null;
  return (
    <><h3>You said it {p.times === 1 ? 'once' : `${p.times} times`}{(p.sessions ?? 0) > 1 && ` in ${count(p.sessions ?? 0, 'session')}`}</h3>
      <ul class="said">{said.map((one) => (
        <li key={one.at}><blockquote>{around(prompts.value.get(one.prompt ?? 0) ?? '', p.text ?? '')}</blockquote>
          <p class="muted">{dayAndTime(one.at)} · {one.how}{one.session && <> · <a href={link(`/s/${encodeURIComponent(one.session)}`)}>session {short(one.session)}</a></>}</p></li>))}</ul></>
  );
}

// One proposal.

function Body({ p }: { p: Proposal }) {
  const from = [sentence(toYou(p.why)), p.reason && `The agent’s reason: ${sentence(p.reason)}`].filter(Boolean).join(' ');
  const hasValues = p.component && (p.value !== undefined && p.value !== null);
  return (
    <>
      <header><p class="muted">{whom(p.proposed_by)}{p.client && ` (${agentName(p.client)})`} · <At at={p.last_at} class="" />{p.action !== 'remember' && p.times > 1 && ` · ${p.times} times`} · proposal {p.id}{p.session && <> · <a href={link(`/s/${encodeURIComponent(p.session)}`)}>session {short(p.session)}</a></>}</p>
        <h2 tabIndex={-1}><Title p={p} /></h2>
        <p>{from}</p></header>
      {p.diff && <Diff text={p.diff} label={`change of ${p.path}`} />}
      {hasValues && <Replace before={p.current} after={value(p)} label={`change of ${what(p)}`} />}
      {p.action === 'correct' && p.text && <Replace before={p.current} after={p.text} label="change of the statement" />}
      {(p.action === 'delete' || p.action === 'forget') && p.current && !p.diff && <blockquote class="struck">{p.current}</blockquote>}
      {Object.entries(p.attributes ?? {}).length > 0 && <ul class="said">{Object.entries(p.attributes ?? {}).map(([name, its]) => <li key={name}><code>{name} = {its === null ? 'nothing' : typeof its === 'string' ? its : JSON.stringify(its)}</code></li>)}</ul>}
      {p.current_stated_by && <p class="muted after-diff">{p.component && !p.current && 'The present value is secret. '}Now stated by {whom(p.current_stated_by)}.</p>}
      <Said key={p.id} p={p} />
      {(p.contradicts ?? []).length > 0 && <><h3>It contradicts</h3>
        <ul class="said">{p.contradicts?.map((c) => <li key={c.id}><blockquote class="struck">{c.text}</blockquote><p class="muted">#{c.id} · {whom(c.stated_by)}</p></li>)}</ul></>}
      <h3>If you accept</h3><p class="effect">{effect(p)}</p>
    </>
  );
}

function Reword({ text, accept, cancel }: { text: string; accept: (text: string) => void; cancel: () => void }) {
  const words = useSignal(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => { field.current?.focus(); field.current?.select(); }, []);
  const submit = () => { const its = words.value.trim(); if (its) accept(its); };
  return (
    <form class="field reword" onSubmit={(e) => { e.preventDefault(); submit(); }}>
      <label for="words">In your words</label>
      <textarea id="words" ref={field} rows={2} maxLength={2000} value={words.value} onInput={(e) => { words.value = e.currentTarget.value; }}
        onKeyDown={(e) => { if (e.key === 'Enter' && !e.shiftKey) { e.preventDefault(); submit(); } if (e.key === 'Escape') cancel(); }} />
      <p class="actions"><button class="primary">Accept these words <kbd>Enter</kbd></button><button type="button" class="quiet" onClick={cancel}>Cancel</button></p>
    </form>
  );
}

const None = () => (
  <div class="page"><div class="empty"><svg class="icon big-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 8.5l3 3 7-7" /></svg><h1>Nothing waits for you</h1>
    <p class="muted">If an agent wants to change what you stated, it waits here. So do rules that you tell an agent, such as “from now on, run the tests before you commit”.</p></div></div>
);

export function Review() {
  const list = proposals.value;
  /** The proposal that is shown, as it was when it was shown last. */
  const shown = useSignal<Proposal | null>(null);
  const words = useSignal<string | null>(null);
  const isSure = useSignal(false);
  const isBusy = useSignal(false);
  const fault = useSignal<Fault | null>(null);
  const card = useRef<HTMLElement>(null), sure = useRef<HTMLButtonElement>(null);

  const current = list?.find((p) => p.id === shown.value?.id);
  // One that was decided elsewhere stays until another is chosen: a key meant for it must not reach the next.
  const isGone = !!shown.value && !!list && !current && !decided.value.has(shown.value.id) && (project.value === '*' || !shown.value.project || shown.value.project === project.value);
  const p = current ?? (isGone ? shown.value : list?.[0]) ?? null;
  // An effect runs late: what was picked since stays picked.
  useEffect(() => { if (p && (shown.value?.id === p.id || !proposals.value?.some((one) => one.id === shown.value?.id))) shown.value = p; }, [p]);
  const pick = (next: Proposal | undefined) => {
    if (next && next.id === p?.id) return;
    shown.value = next ?? null;
    words.value = fault.value = null;
    isSure.value = false;
  };
  const after = () => { const i = list?.findIndex((one) => one.id === p?.id) ?? -1; return list?.[i + 1] ?? list?.[i - 1] ?? (isGone ? list?.[0] : undefined); };

  const decide = async (isAccepted: boolean, text?: string) => {
    if (!p || isBusy.value || readOnly.value) return;
    if (isGone) { say(`Proposal ${p.id} was decided elsewhere. Press j for the next one.`); return; }
    if (isAccepted && asksTwice(p) && !isSure.value) { isSure.value = true; return; }
    isBusy.value = true;
    const its = p, next = after();
    try {
      const answer = isAccepted ? await call('accept_proposal', { id: its.id, ...(text && text !== its.text && { text }) }) : await call('drop_proposal', { id: its.id });
      decided.value = new Set([...decided.value, its.id]);
      pick(next);
      const replaced = (answer.replaced ?? []).map((one) => `#${one.id}`).join(', ');
      say(replaced ? `${sentence(done(its, isAccepted, answer.statement?.text))} It takes the place of ${replaced}.` : done(its, isAccepted, answer.statement?.text), isAccepted ? takeBack(its, answer) : takeDropBack(its));
      requestAnimationFrame(() => card.current?.querySelector('h2')?.focus({ preventScroll: true }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      fault.value = error;
      isSure.value = false;
      // It may have been decided elsewhere, or what it changes has changed: show how it is now.
      readProposals();
    } finally { isBusy.value = false; }
  };
  const reword = () => { if (p && canReword(p) && !isGone && !readOnly.value) words.value = words.value === null ? p.text ?? '' : null; };
  useKeys((key) => {
    if (!p || readOnly.value) return false;
    if (key === 'a') void decide(true);
    else if (key === 'd') void decide(false);
    else if (key === 'e') reword();
    else return false;
    return true;
  });
  useLayoutEffect(() => { if (isSure.value) sure.current?.focus(); }, [isSure.value]);

  if (proposalsFault.value && !list) return <div class="page"><h1>Review</h1><Trouble fault={proposalsFault.value} /></div>;
  if (!list) return <div class="page" aria-busy="true"><h1>Review</h1></div>;
  if (!p) return <None />;
  return (
    <div class="page review">
      <div class="lead"><h1>Review</h1><p class="muted">{list.length ? `${inWords(list.length)} wait${list.length === 1 ? 's' : ''} for you. Agents cannot decide these.` : 'Nothing else waits for you.'}</p></div>
      {proposalsFault.value && <Trouble fault={proposalsFault.value} />}
      <div class="split narrow-left">
        <ul class="rows picks" aria-label="Proposals">{list.slice(0, MOST).map((one) => (
          <li key={one.id}><button class="row" data-row data-proposal={one.id} aria-pressed={one === p} onFocus={() => pick(one)} onClick={() => pick(one)}>
            <span class="grow"><span class="title">{what(one)}</span><span class="sub">{kindOf(one)} · <At at={one.last_at} class="" />{one.times > 1 ? ` · ${one.times} times` : ''}</span></span>
          </button></li>))}</ul>
        <article class="card" ref={card} key={p.id} aria-busy={isBusy.value}>
          <Body p={p} />
          {fault.value && <Trouble fault={fault.value} />}
          {isGone && <div class="fault" role="status"><p>This proposal was decided elsewhere.</p></div>}
          {isGone && list.length > 0 && <footer class="decide"><button class="primary" onClick={() => pick(list[0])}>Next proposal</button></footer>}
          {words.value !== null && !isGone &&
            <Reword text={words.value} accept={(text) => void decide(true, text)} cancel={() => { words.value = null; }} />}
          {isSure.value && !isGone &&
            <div class="sure" onKeyDown={(e) => { if (e.key === 'Escape') isSure.value = false; }}>
              <p>This cannot be taken back here.</p>
              <p><button class="primary" ref={sure} onClick={() => void decide(true)}>{p.action === 'delete' ? 'Delete' : 'Change'} {isFile(p) ? 'the file' : 'the entry'} <kbd>Enter</kbd></button> <button class="quiet" onClick={() => { isSure.value = false; }}>Cancel</button></p>
            </div>}
          {!readOnly.value && !isGone && words.value === null && !isSure.value &&
            <footer class="decide">
              <button class="primary" disabled={isBusy.value} onClick={() => void decide(true)}>Accept <kbd>a</kbd></button>
              <button disabled={isBusy.value} onClick={() => void decide(false)}>Drop <kbd>d</kbd></button>
              {canReword(p) && <button onClick={reword}>Reword <kbd>e</kbd></button>}
              <span class="push muted"><kbd>j</kbd> <kbd>k</kbd> next, previous</span>
            </footer>}
        </article>
      </div>
      <Rest of={list} hint="They come up as you decide." />
    </div>
  );
}
