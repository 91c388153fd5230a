// A session: what happened, prompt by prompt, and what Nudge gave.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { call, Fault, listen, readOnly } from '../server';
import { link, pageTitle, path, query, say } from '../state';
import { agentName, count, number, Trouble, useKeys } from '../ui';
import { Applet, useCapture, useEscape } from './session/applets';
import { ContextFooter, useSets } from './session/footer';
import { Asked, Line } from './session/rows';
import { groups, Timeline, type Head, type Show } from './session/timeline';
import { clock, fileLink, fromTo, moment, pauseOf, short } from './session/words';

/** How long events are collected before the rows are read again. */
const SETTLE = 150;
/** This near to the end, a reader follows it. */
const NEAR_END = 40;

const titleOf = (head: Head | null) => head?.name || head?.prompts[0]?.text || 'Session without a prompt';

const STATES: Record<string, string> = { busy: 'working', idle: 'stopped', ended: 'ended' };
const State = ({ head, last }: { head: Head; last: string }) => {
  const { counts, state, project } = head;
  return (
    <p class="meta"><span class={`dot ${state}`} aria-hidden="true" />{STATES[state] ?? state}{state !== 'busy' && ` ${moment(last)}`} · <b>{agentName(head.agent)}</b>{project && <> in {project}</>} · {fromTo(head.started_at, last)} · {count(counts.events, 'event')} · {count(counts.commits, 'commit')} · {counts.tokens ? `given ${count(counts.tokens, 'token')}` : 'given nothing'}</p>
  );
};

const FILTERS: [show: Show | null, label: string, many: (head: Head) => number | null][] = [
  [null, 'All', () => null], ['failures', 'Failures', ({ counts }) => counts.failures], ['changes', 'Changes', ({ counts }) => counts.changes],
  ['injected', 'Given by Nudge', ({ counts }) => counts.injections], ['hypotheses', 'Hypotheses', ({ counts }) => counts.hypotheses],
];
const NOTHING: Record<Show, string> = { failures: 'Nothing failed.', changes: 'No file was changed.', injected: 'Nudge gave nothing.', hypotheses: 'No hypothesis was stated.' };

async function copyHandoff(session: string) {
  try {
    const { markdown } = await call('handoff', { session });
    await navigator.clipboard.writeText(markdown);
    say('The handoff is in the clipboard.');
  } catch (error) {
    say(error instanceof Fault ? error.message : 'The browser did not let the page write to the clipboard.');
  }
}

function Name({ session, name, title, onDone }: { session: string; name: string; title: string; onDone: (name: string | null) => void }) {
  const field = useRef<HTMLInputElement>(null), fault = useSignal<Fault | null>(null);
  useEffect(() => { field.current?.select(); }, []);
  const save = async (e: SubmitEvent) => {
    e.preventDefault();
    const its = field.current?.value.trim() ?? '';
    try { await call('update_session', { session, name: its }); onDone(its); } catch (error) { if (error instanceof Fault) fault.value = error; }
  };
  return (
    <form class="naming" onSubmit={(e) => void save(e)} onKeyDown={(e) => { if (e.key === 'Escape') { e.stopPropagation(); onDone(null); } }}>
      <label><span class="visually-hidden">Name of the session</span><input ref={field} defaultValue={name} placeholder={title} maxLength={200} /></label>
      <button class="primary">Save</button> <button type="button" onClick={() => onDone(null)}>Cancel</button>
      {fault.value && <Trouble fault={fault.value} />}
    </form>
  );
}

function Outline({ head, current, go }: { head: Head; current: number | null; go: (id: number) => void }) {
  const last = head.files_in_flight, list = useRef<HTMLOListElement>(null);
  // The prompt that is read stays in sight, whatever the list is scrolled to.
  useEffect(() => {
    const its = list.current, one = its?.querySelector<HTMLElement>('[aria-current]');
    if (!its || !one) return;
    const sight = its.getBoundingClientRect(), row = one.getBoundingClientRect();
    if (row.top < sight.top) its.scrollTop += row.top - sight.top - row.height;
    else if (row.bottom > sight.bottom) its.scrollTop += row.bottom - sight.bottom + row.height;
  }, [current]);
  return (
    <nav class="outline" aria-label="Prompts">
      {head.more_prompts > 0 && <p class="muted small">{count(head.more_prompts, 'older prompt')}</p>}
      <ol ref={list}>{head.prompts.map((prompt) => (
        <li key={prompt.id}><button class="plain-button" aria-current={prompt.id === current ? 'true' : undefined} onClick={() => go(prompt.id)}>
          <span class="time">{clock(prompt.at)}</span><span class="o-text">{prompt.text}</span>
          {prompt.failures > 0 && <span class="verdict failed"><span aria-hidden="true">✗ {prompt.failures}</span><span class="visually-hidden">{prompt.failures} failed</span></span>}</button></li>))}</ol>
      <dl class="facts">
        <div><dt>Files in flight</dt><dd>{last.length ? <ul>{last.slice(0, 6).map((file) => <li key={file}><a href={fileLink(file)} title={file}>{short(file, head.root)}</a></li>)}{last.length > 6 && <li class="muted">and {last.length - 6} more</li>}</ul> : 'none'}</dd></div>
        <div><dt>Hypotheses</dt><dd>{head.counts.hypotheses || 'none'}</dd></div>
      </dl>
    </nav>
  );
}

export function Session() {
  let id = path.value.slice('/s/'.length);
  try { id = decodeURIComponent(id); } catch { /* it is no id, and the server says so */ }
  return <One key={id} session={id} />;
}

function One({ session }: { session: string }) {
  const head = useSignal<Head | null>(null), show = useSignal<Show | null>(null), isNaming = useSignal(false);
  const lastAt = useSignal<string | null>(null), fresh = useSignal(0), current = useSignal<number | null>(null);
  const timeline = useMemo(() => new Timeline(session, show.value, head), [show.value]);
  const sets = useSets(session);
  useCapture(session);
  const isFirst = useRef(true);
  useEffect(() => { isFirst.current = false; }, []);

  // Where the reader is: at the end, which is followed, or at a row, which stays where it is.
  const scroller = useRef<HTMLDivElement>(null), content = useRef<HTMLDivElement>(null), heading = useRef<HTMLElement>(null);
  const isFollowing = useRef(true), held = useRef<{ key: string; top: number } | null>(null), goal = useRef<string | null>(null);
  const top = () => (heading.current?.getBoundingClientRect().bottom ?? 0);
  const rowsShown = () => [...content.current?.querySelectorAll<HTMLElement>('[data-key]') ?? []];
  const hold = () => {
    const row = isFollowing.current ? undefined : rowsShown().find((its) => its.getBoundingClientRect().bottom > top());
    held.current = row ? { key: row.dataset.key ?? '', top: row.getBoundingClientRect().top } : null;
  };
  const toEnd = () => { const its = scroller.current; if (its) its.scrollTop = its.scrollHeight; };
  const look = () => {
    const its = scroller.current;
    if (!its) return;
    const isEnd = its.scrollHeight - its.scrollTop - its.clientHeight < NEAR_END;
    isFollowing.current = isEnd && !timeline.hasLater.value;
    if (isFollowing.current) fresh.value = 0;
    const edge = top() + 24, heads = [...content.current?.querySelectorAll<HTMLElement>('section[data-prompt]') ?? []];
    const one = heads.filter((section) => section.getBoundingClientRect().top <= edge).pop() ?? heads[0];
    current.value = one?.dataset.prompt ? Number(one.dataset.prompt) : null;
  };
  const rows = timeline.rows.value;
  useLayoutEffect(() => {
    if (!rows) return;
    // Looking at a session is no part of it, so its last row says when it stopped.
    if (!timeline.show && !timeline.hasLater.value) lastAt.value = rows[rows.length - 1]?.at ?? null;
    const wanted = goal.current, before = held.current;
    goal.current = held.current = null;
    const section = wanted ? document.getElementById(wanted) : null;
    if (section) { section.scrollIntoView({ block: 'start' }); section.focus({ preventScroll: true }); }
    else if (before) {
      const row = rowsShown().find((its) => its.dataset.key === before.key);
      if (row && scroller.current) scroller.current.scrollTop += row.getBoundingClientRect().top - before.top;
    } else if (isFollowing.current) toEnd();
    look();
  }, [rows]);
  useEffect(() => {
    const its = scroller.current, inside = content.current, over = heading.current;
    if (!its || !inside || !over) return;
    const watch = new ResizeObserver((changes) => {
      its.style.setProperty('--head', `${getComputedStyle(over).position === 'sticky' ? over.offsetHeight : 0}px`);
      if (isFollowing.current && changes.some(({ target }) => target !== inside)) toEnd(); else look();
    });
    for (const part of [its, inside, over]) watch.observe(part);
    return () => watch.disconnect();
  }, [head.value !== null]);

  // Rows are read when the page opens, when the filter changes, and while the session works.
  useEffect(() => {
    isFollowing.current = true;
    fresh.value = 0;
    void (goal.current === null ? timeline.open() : timeline.goTo(Number(goal.current.slice(1))));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ends = listen((method, event) => {
      const isMine = event.sessionId === session || (event.scope?.kind === 'session' && event.scope.key === session);
      const mayBeMine = method === 'entry/changed' && event.scope?.kind !== 'session' && head.value?.state === 'busy';
      if (!isMine && !mayBeMine && method !== 'back' && method !== 'feed/gone') return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void timeline.refresh(hold).then((grown) => { if (!isFollowing.current) fresh.value += grown; });
      }, SETTLE);
    });
    return () => { ends(); clearTimeout(timer); };
  }, [timeline]);
  const title = titleOf(head.value);
  useEffect(() => { if (head.value) pageTitle.value = title; return () => { pageTitle.value = null; }; }, [title, head.value !== null]);

  const list = useComputed(() => groups(timeline.rows.value ?? [], head.value?.prompts ?? [], timeline.show !== null, pauseOf));
  const goTo = (prompt: number) => {
    isFollowing.current = false;
    const loaded = show.value === null ? document.getElementById(`p${prompt}`) : null;
    if (loaded) { loaded.scrollIntoView({ block: 'start' }); loaded.focus({ preventScroll: true }); return; }
    goal.current = `p${prompt}`;
    if (show.value === null) void timeline.goTo(prompt); else show.value = null;
  };
  const jumpToEnd = () => {
    isFollowing.current = true;
    fresh.value = 0;
    if (timeline.hasLater.value) void timeline.open(); else toEnd();
  };
  const step = (by: 1 | -1) => {
    const known = show.value === null ? head.value?.prompts.map((prompt) => prompt.id) ?? [] : list.value.flatMap((group) => group.id ?? []);
    const focused = (document.activeElement?.closest('section[data-prompt]') as HTMLElement | null)?.dataset.prompt;
    const its = focused ? Number(focused) : current.value, place = its === null ? -1 : known.indexOf(its);
    // The prompt whose actions are read comes before the one above it.
    const isInside = by < 0 && !focused && its !== null && (document.getElementById(`p${its}`)?.getBoundingClientRect().bottom ?? 0) < top();
    const next = known[Math.max(0, Math.min(known.length - 1, place + (isInside ? 0 : by)))];
    if (next === undefined) return;
    if (show.value === null) goTo(next); else { const one = document.getElementById(`p${next}`); one?.scrollIntoView({ block: 'start' }); one?.focus({ preventScroll: true }); }
  };
  useKeys((key) => {
    if (key === 'x') show.value = show.value === 'failures' ? null : 'failures';
    else if (key === '[') step(-1);
    else if (key === ']') step(1);
    else if ((key === 'j' || key === 'k') && !document.activeElement?.closest('[data-row]')) {
      // The rows begin where the reader is.
      const inSight = rowsShown().filter((row) => row.getBoundingClientRect().top >= top() - 1);
      inSight[0]?.focus();
    } else return false;
    return true;
  });
  useEscape();

  const its = head.value, fault = timeline.fault.value;
  if (!its) {
    return <div class="page" aria-busy={!fault}>{fault ? <><h1>There is nothing to show</h1><Trouble fault={fault} /><p><a href={link('/sessions')}>All sessions</a></p></> : <h1 class="visually-hidden">Session</h1>}</div>;
  }
  const isEmpty = rows !== null && rows.length === 0;
  return (
    <div class={`session ${query.value.has('applet') ? 'with-applet' : ''}`} aria-busy={rows === null}>
      <div class="session-scroll" ref={scroller} onScroll={look}>
        <header class="session-head" ref={heading}>
          <div class="head-inner">
            <p class="crumbs"><a href={link('/sessions')}>Sessions</a> <span class="muted">/ {session.slice(0, 8)}</span></p>
            {isNaming.value
              ? <><h1 class="visually-hidden">{title}</h1><Name session={session} name={its.name ?? ''} title={title} onDone={(name) => { isNaming.value = false; if (name !== null) head.value = { ...its, name }; }} /></>
              : <h1>{title}</h1>}
            <State head={its} last={lastAt.value ?? its.last_at} />
            <div class="chips" role="group" aria-label="Show">
              {FILTERS.map(([kind, label, many]) => <button key={label} aria-pressed={show.value === kind} onClick={() => { show.value = kind; }}>{label}{many(its) !== null && <span class="n">{number(many(its) ?? 0)}</span>}</button>)}
              <span class="actions"><button onClick={() => void copyHandoff(session)}>Copy handoff</button>{!readOnly.value && <button onClick={() => { isNaming.value = true; }}>Name</button>}</span>
            </div>
          </div>
        </header>
        <div class="session-body">
          <Outline head={its} current={current.value} go={goTo} />
          <div class="timeline" ref={content}>
            {fault && <Trouble fault={fault} />}
            {isEmpty && <p class="muted nothing">{timeline.show ? NOTHING[timeline.show] : 'Nothing was recorded in this session.'}</p>}
            {timeline.hasEarlier.value && <p class="more"><button disabled={timeline.isReading.value} onClick={() => { isFollowing.current = false; void timeline.earlier(hold); }}>Show earlier</button></p>}
            {list.value.map((group) => (
              <section key={group.key} data-prompt={group.id ?? undefined} aria-labelledby={group.id === null ? undefined : `p${group.id}`}>
                {group.pause && <p class="gap"><span>{group.pause}</span></p>}
                {group.id !== null && <Asked id={`p${group.id}`} at={group.at} text={group.text} source={group.source} isContinued={group.isContinued} isCut={group.isCut} />}
                {group.items.length > 0 && <ul class="lines">{group.items.map((item) => <Line key={item.key} item={item} root={its.root} />)}</ul>}
              </section>))}
            {timeline.hasLater.value && <p class="more"><button disabled={timeline.isReading.value} onClick={() => void timeline.later(hold)}>Show later</button></p>}
            {its.state === 'busy' && !timeline.hasLater.value && !timeline.show && <p class="at-work"><span class="dot busy" aria-hidden="true" />The agent is working.</p>}
          </div>
        </div>
        <div class="pill" role="status">{(fresh.value > 0 || timeline.hasLater.value) && <button onClick={jumpToEnd}>{fresh.value > 0 ? `${number(fresh.value)} new` : 'To the end'}</button>}</div>
      </div>
      <Applet session={session} head={its} isFirst={isFirst.current} />
      {rows !== null && sets.value && <ContextFooter sets={sets.value} />}
    </div>
  );
}
