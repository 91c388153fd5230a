// Panels beside a session. Only the address opens one, so a link or a reload brings it back.
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Operations } from '../../api';
import { callAt } from '../../places';
import { DeleteForGood } from '../../delete';
import { call, Fault, listen, noteApplet } from '../../server';
import { go, link, path, query } from '../../state';
import { base, count, Icon, MOST, number, PAGE, Trouble, useAnswer, usePages } from '../../ui';
import { kindOf } from '../../words';
import { Change, Size } from './change';
import type { Head } from './timeline';
import { appletLink, clock, fileLink, itemsOf, moment, openApplet, short, type Open } from './words';

interface Its { session: string; head: Head | null; open: Open }
const valueOf = ({ pairs }: Open, ...names: string[]) => pairs.find(([name]) => names.includes(name))?.[1] ?? '';
/** A file changed by this session, or its end: then a panel is read again. */
const isChange = (method: string, scheme?: string) => method.startsWith('session.') || scheme === 'obs';

/** The key that closes the open applet. */
export function useEscape() {
  useEffect(() => {
    const on = (e: KeyboardEvent) => { if (e.key === 'Escape' && !document.querySelector('.dialog, .rail.open') && !/^(INPUT|TEXTAREA|SELECT)$/.test((e.target as HTMLElement).tagName) && query.value.has('applet')) go(appletLink(null)); };
    // Before the shell, which closes its own parts on the same key.
    addEventListener('keydown', on, { capture: true });
    return () => removeEventListener('keydown', on, { capture: true });
  }, []);
}

/** Sends the open applet when the agent stops and when the user leaves, so that it can be offered again. */
export function useCapture(session: string) {
  const here = useRef(path.value), last = useRef<Open | null>(null);
  // The address of the next page is not this session's.
  if (path.value === here.current) last.current = openApplet(query.value);
  useEffect(() => {
    const send = () => { if (last.current) noteApplet(session, itemsOf(last.current)); };
    const ends = listen((_, event) => { if (event.sessionId === session && event.reason === 'idle') send(); });
    addEventListener('pagehide', send);
    return () => { ends(); removeEventListener('pagehide', send); send(); };
  }, []);
}

/** How many lines are one block: blocks that are not in sight are not drawn. */
const BLOCK = 100;
function TextEditor({ session, open, head }: Its) {
  const file = valueOf(open, 'path'), root = head?.root;
  const { answer, fault } = useAnswer('session_file', () => ({ session_id: session, path: file }), isChange);
  const view = useRef<HTMLDivElement>(null);
  const got = answer.value, lines = got?.lines ?? [], written = new Set(got?.written);
  const isThere = lines.length > 0;
  useEffect(() => { view.current?.querySelector('.touched')?.scrollIntoView({ block: 'center' }); }, [isThere]);
  const blocks = Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, n) => lines.slice(n * BLOCK, (n + 1) * BLOCK));
  return (
    <Panel title={base(file) || 'text-editor'} sub={file}>
      {fault.value && <Trouble fault={fault.value} />}
      {got?.note && <p class="muted pad">{got.note}</p>}
      {got && !isThere && !got.note && <p class="muted pad">The file is empty.</p>}
      {isThere && <div class="code-view" ref={view} tabIndex={0} role="group" aria-label={`Text of ${base(file)}`}>
        {blocks.map((block, n) => (
          <div class={block.length === BLOCK ? 'block whole' : 'block'} key={n}>{block.map((text, i) => {
            const its = n * BLOCK + i + 1;
            return <div key={its} class={written.has(its) ? 'touched' : ''}><span class="ln">{its}</span><span class="code">{text || ' '}</span></div>;
          })}</div>))}</div>}
      {got && <div class="pad">
        {written.size > 0 && <p class="muted">Marked: {count(written.size, 'line')} that this session wrote.</p>}
        {got.changes.length > 0 && <h3>{count(got.changes.length, 'change')} by this session</h3>}
        {got.changes.map((change) => <Made key={change.id} at={change.at} text={change.diff} added={change.added} removed={change.removed} name={base(file)} root={root} />)}
        <p class="muted"><a href={appletLink('history', [['path', file]])}>Sessions that touched this file</a></p></div>}
    </Panel>
  );
}

const Made = ({ at, file, text, added, removed, name, isCut, root }: { at: string; file?: string; text?: string | null; added?: number | null; removed?: number | null; name: string; isCut?: boolean; root?: string | null }) => (
  <div class="made"><p><time class="time" dateTime={at}>{clock(at)}</time> {file && <><a href={fileLink(file)} title={file}>{short(file, root)}</a> </>}<Size added={added} removed={removed} /></p>
    {text ? <Change text={text} label={`Changed lines of ${name}, ${clock(at)}`} isCut={isCut} root={root} /> : <p class="muted small">The lines were not kept.</p>}</div>
);

function GitDiff({ session, open, head }: Its) {
  const wanted = valueOf(open, 'path'), since = valueOf(open, 'ref');
  const of = (more: { before?: string }) => ({ session_id: session, show: 'changes' as const, limit: PAGE, ...more });
  const { answer, fault } = useAnswer('session_timeline', () => of({}), isChange);
  const newest = useComputed(() => answer.value && [...answer.value.rows].reverse());
  const { rows, more } = usePages(newest, (row) => row.key, async (last) => (await call('session_timeline', of({ before: last.key }))).rows.reverse());
  const all = [...rows].reverse();
  const changes = all.filter((row) => (row.kind === 'file_edit' || row.kind === 'file_write') && !row.failed && (!wanted || row.files?.includes(wanted)));
  const files = new Set(changes.flatMap((row) => row.files ?? []));
  return (
    <Panel title="git-diff" sub={`Changes of this session${wanted ? ` in ${short(wanted, head?.root)}` : ''}`}>
      {fault.value && <Trouble fault={fault.value} />}
      <div class="pad">
        {answer.value && <p class="muted">{changes.length ? `${count(changes.length, 'change')} in ${count(files.size, 'file')}, oldest first` : 'This session changed no file.'}</p>}
        {since && <p class="fault">The page does not compare with “{since}”. These are the changes of the session.</p>}
        {all.length >= MOST ? <p class="muted">The page shows {MOST} changes at most, the newest ones.</p> : more}
        {changes.map((row) => <Made key={row.key} at={row.at} file={row.files?.[0] ?? row.text} text={row.diff} added={row.added} removed={row.removed} isCut={row.diff_cut} name={base(row.files?.[0] ?? row.text)} root={head?.root} />)}
      </div>
    </Panel>
  );
}

/** How many reads and changes of a file are listed. */
const TOUCHES = 50;
function History({ open, head, session }: Its) {
  const file = valueOf(open, 'path', 'file'), project = head?.project;
  const answer = useSignal<Operations['file_history']['result'] | null>(null), fault = useSignal<Fault | null>(null);
  useEffect(() => {
    let isHere = true;
    if (!project) { fault.value = new Fault('no_project', 'the session has no project'); return; }
    callAt(project, 'file_history', { file_path: file, limit: TOUCHES }).then(
      (found) => { if (isHere) { answer.value = found; fault.value = null; } },
      (error: unknown) => { if (isHere && error instanceof Fault) fault.value = error; },
    );
    return () => { isHere = false; };
  }, [file, project]);
  const got = answer.value?.sessions ?? [];
  return (
    <Panel title={`History of ${base(file) || 'a file'}`} sub={file}>
      {fault.value && <Trouble fault={fault.value} />}
      {answer.value && !got.length && <p class="muted pad">No session of this project touched it.</p>}
      <ul class="pad plain">{got.map((its) => (
        <li key={its.session_id}><p><a href={link(`/s/${encodeURIComponent(its.session_id)}`)} aria-current={its.session_id === session ? 'page' : undefined}>{its.summary_intent || its.touches.find((touch) => touch.prompt_content)?.prompt_content || 'Session without a prompt'}</a></p>
          <p class="muted small">{moment(new Date(its.started_at * 1000).toISOString())}{its.session_id === session && ' · this session'}</p>
          <ul>{its.touches.slice(0, 8).map((touch) => (
            <li key={touch.observation_id}><p class="small"><a href={appletLink('around', [['id', String(touch.observation_id)]])}>{clock(new Date(touch.timestamp * 1000).toISOString())}</a> {kindOf(touch.obs_type)}</p></li>))}
            {its.touches.length > 8 && <li class="muted small">and {its.touches.length - 8} more</li>}</ul></li>))}</ul>
      <p class="pad muted"><a href={fileLink(file)}>The file</a></p>
    </Panel>
  );
}

const NEAR = 12;
type Near = Operations['timeline']['result']['anchor'];
function Around({ open, head }: Its) {
  const id = Number(valueOf(open, 'id', 'anchor'));
  const { answer, fault } = useAnswer('timeline', () => ({ anchor: id, before: NEAR, after: NEAR }), () => false);
  const got = answer.value, all: Near[] = got ? [...got.before, got.anchor, ...got.after] : [];
  const root = head?.root;
  return (
    <Panel title={`Around entry ${Number.isFinite(id) ? number(id) : valueOf(open, 'id', 'anchor')}`} sub={got ? moment(new Date(got.anchor.timestamp * 1000).toISOString()) : ''}>
      {fault.value && <Trouble fault={fault.value} />}
      <ul class="pad near">{all.map((its) => (
        <li key={its.id} aria-current={its.id === id ? 'true' : undefined}><time class="time" dateTime={its.at}>{clock(new Date(its.timestamp * 1000).toISOString())}</time>
          <span><span class="muted">{kindOf(its.obs_type)}</span> <span class={its.metadata.outcome === 'failed' ? 'bad' : ''}>{its.file_path && its.content === its.file_path ? short(its.content, root) : its.content.slice(0, 400)}</span></span></li>))}</ul>
      {got && <p class="pad muted">{got.anchor.session_id && <><a href={link(`/s/${encodeURIComponent(got.anchor.session_id)}`)}>Its session</a> </>}
        {/* What is gone must be gone everywhere on the page, so it is read anew. */}
        <DeleteForGood id={id} what={got.anchor.content.slice(0, 400)} onDone={() => { location.assign(appletLink(null)); }} /></p>}
    </Panel>
  );
}

const Unknown = ({ open }: Its) => (
  <Panel title={open.slug} sub="">
    <div class="pad"><p>There is no applet “{open.slug}” here.</p>
      {open.pairs.length > 0 && <><p class="muted">Its parameters:</p><dl class="facts">{open.pairs.map(([name, value], i) => <div key={i}><dt>{name}</dt><dd>{value}</dd></div>)}</dl></>}</div>
  </Panel>
);

const Panel = ({ title, sub, children }: { title: string; sub: string; children: ComponentChildren }) => (
  <>
    <header><h2>{title}</h2>{sub && <p class="muted path">{sub}</p>}<a class="close" href={appletLink(null)} aria-label="Close the applet"><Icon name="close" /></a></header>
    {children}
  </>
);

const KNOWN: Record<string, (its: Its) => ComponentChildren> = { 'text-editor': TextEditor, 'git-diff': GitDiff, history: History, around: Around };

/** The applet of the address. A link moves the focus into it; closing gives it back. */
export function Applet({ session, head, isFirst }: { session: string; head: Head | null; isFirst: boolean }) {
  const open = openApplet(query.value), panel = useRef<HTMLElement>(null);
  const isOpen = open !== null;
  useEffect(() => {
    if (!isOpen || isFirst) return;
    const from = document.activeElement as HTMLElement | null;
    panel.current?.focus();
    return () => { if (from?.isConnected) from.focus(); };
  }, [isOpen]);
  if (!open) return null;
  const Shown = Object.hasOwn(KNOWN, open.slug) ? KNOWN[open.slug] : Unknown;
  return <aside class="applet" ref={panel} tabIndex={-1} aria-label={`Applet ${open.slug}`}><Shown key={JSON.stringify(itemsOf(open))} session={session} head={head} open={open} /></aside>;
}
