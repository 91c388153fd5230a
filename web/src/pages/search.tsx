// Search: find anything, see why it matched, what followed, and what is around it.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Operations } from '../api';
import { DeleteForGood } from '../delete';
import { Diff } from '../diff';
import { Marked, matchedWords } from '../marks';
import { call, Fault, listen, signedIn } from '../server';
import { go, isNarrow, link, linkWith, project, query, replace } from '../state';
import { base, count, inWords, number, Trouble } from '../ui';
import { At, dayAndTime, kindOf, whom } from '../words';

type Answer = Operations['search']['result'];
type Row = Answer['results'][number];
type Entry = Operations['get_observations']['result'][number];
type Around = Operations['timeline']['result'];

/** How long after the last key a search begins. */
const PAUSE = 220;
/** How long a row must be shown before its entry is read: keys may be on their way to another. */
const REST = 90;
const PAGE = 40, MOST = 600;
/** How many entries before and after one are shown. */
const AROUND = 4;

const TYPES: [type: string, label: string][] = [
  ['command_error', 'Failed commands'], ['user_prompt', 'Prompts'], ['file_edit', 'Edits'], ['git_commit', 'Commits'], ['conclusion', 'Conclusions'],
  ['statement', 'Statements'], ['hint', 'Hints'], ['command', 'Commands'], ['file_read', 'Read files'], ['file_write', 'Written files'], ['memory', 'Imported memories'],
];
/** These are there although nothing of their kind was found. */
const ALWAYS = 5;
const TIMES: [since: string, label: string, days: number][] = [['', 'Any time', 0], ['1d', 'Last 24 hours', 1], ['7d', 'Last 7 days', 7], ['30d', 'Last 30 days', 30]];

/** The question in the address. */
interface Question { q: string; type: string; since: string; file: string; project: string }
const asked = (): Question => ({ q: query.value.get('q') ?? '', type: query.value.get('type') ?? '', since: query.value.get('since') ?? '', file: query.value.get('file') ?? '', project: project.value });
const to = ({ q, type, since, file, project: chosen }: Question) => linkWith('/search', { q, type, since, file }, chosen);
const with_ = (change: Partial<Question>) => to({ ...asked(), ...change });

async function find({ q, type, since, file, project: chosen }: Question, offset = 0): Promise<Answer> {
  const days = TIMES.find(([name]) => name === since)?.[2] ?? 0;
  return call('search', {
    query: q, project: chosen, limit: PAGE, ...(offset && { offset }), ...(type && { obs_type: type }), ...(file && { file }),
    ...(days && { since: Math.floor(Date.now() / 1000) - days * 86_400 }),
  });
}

// What was found last, so that going back shows it at once, at the same place.
const KEEP = 8;
const found = new Map<string, Answer>();
const keep = (name: string, answer: Answer) => {
  found.delete(name);
  found.set(name, answer);
  if (found.size > KEEP) found.delete(found.keys().next().value as string);
};
/** How many of each type a question without a type found, as far as all rows are known. */
const counts = new Map<string, Map<string, number>>();
const countsName = (of: Question) => JSON.stringify({ ...of, type: '' });
function countTypes(of: Question, { results, more }: Answer) {
  if (of.type || more) return;
  const its = new Map<string, number>();
  for (const { obs_type: type } of results) its.set(type, (its.get(type) ?? 0) + 1);
  counts.set(countsName(of), its);
}

const chosenId = () => (history.state as { hit?: number } | null)?.hit;

// A hit.

/** What a row is called, and the text below that. */
function headOf({ obs_type: type, content_preview: text, file_path: file }: Row): [title: string, text: string] {
  if (type === 'command_error') { const [command, ...output] = text.split(' → '); return [command, output.join(' → ')]; }
  if (type === 'command' || type === 'git_commit' || type === 'git_push') return [text, ''];
  if (type === 'hint') { const [name, ...value] = text.split(' = '); return [name, value.join(' = ')]; }
  if (file) return [base(file), text === file ? file.slice(0, -base(file).length) : text];
  return ['', text];
}

function Why({ row }: { row: Row }) {
  const { elsewhere, title } = matchedWords(row.why);
  const parts = [
    [elsewhere.length && `matches ${elsewhere.join(', ')}`, title.length && `${elsewhere.length ? '' : 'matches '}${title.join(', ')} in the title`].filter(Boolean).join('; '),
    row.line && `line ${number(row.line)}`, row.project, row.stated_by && whom(row.stated_by), count(row.tokens, 'token'),
  ];
  return <span class="why muted">{parts.filter(Boolean).join(' · ')}</span>;
}

function Hit({ row, q, isChosen, choose, open }: { row: Row; q: string; isChosen: boolean; choose: (by: 'key' | 'click') => void; open: () => void }) {
  const [title, text] = headOf(row), words = matchedWords(row.why).all;
  const state = isNarrow.value ? { 'aria-expanded': isChosen } : { 'aria-pressed': isChosen };
  return (
    <button class="hit" data-row data-hit={row.id} {...state} onFocus={() => choose('key')} onClick={() => choose('click')}
      onKeyDown={(e) => { if (e.key === 'Enter' && !isNarrow.value && row.session_id) { e.preventDefault(); open(); } }}>
      <span class="hit-head"><span class={`kind ${row.obs_type === 'command_error' ? 'bad' : ''}`}>{kindOf(row.obs_type)}</span>{title && <code><Marked text={title} words={words} query={q} /></code>}<span class="push"><At at={row.at ?? ''} /></span></span>
      {text && <span class="snippet"><Marked text={text} words={words} query={q} /></span>}
      {row.answer && <span class="snippet">It ended with: <Marked text={row.answer.text} words={words} query={q} /></span>}
      {row.followed && <span class="followed">{row.followed}</span>}
      <Why row={row} />
    </button>
  );
}

// The entry beside the list.

const facts = (entry: Entry) => entry.metadata as { response?: unknown; changed?: unknown; outcome?: unknown; commit_message?: unknown; exit_code?: unknown; run?: { verdict?: unknown } | null };
const failed = (entry: Entry) => entry.obs_type === 'command_error' || facts(entry).outcome === 'failed';

/** What happened, in a line. */
function Step({ entry }: { entry: Entry }) {
  const { obs_type: type, content, file_path: file } = entry, line = content.split('\n')[0];
  if (type === 'user_prompt') return <><span class="muted">{whom(entry.stated_by ?? 'the person').split(',')[0]}:</span> {line}</>;
  if (type === 'conclusion') return <><span class="muted">the agent:</span> {line}</>;
  if (type === 'command' || type === 'command_error') {
    const verdict = facts(entry).run?.verdict;
    return <><code>{line}</code>{failed(entry) ? <> <span class="bad">failed</span></> : verdict === 'passed' && <> <span class="good">passed</span></>}</>;
  }
  if (type === 'git_commit') return <>committed {String(facts(entry).commit_message ?? line)}</>;
  if (type === 'session_start') return <span class="muted">the session began</span>;
  if (type === 'session_end') return <span class="muted">the session ended</span>;
  if (file) return <>{{ file_edit: 'edited', file_write: 'wrote', file_read: 'read' }[type] ?? kindOf(type)} {base(file)}</>;
  return <><span class="muted">{kindOf(type)}</span> {line}</>;
}

function Whole({ entry, words, q }: { entry: Entry; words: string[]; q: string }) {
  const { response, changed, commit_message: message } = facts(entry);
  const isCode = ['command', 'command_error', 'git_commit', 'git_push', 'hint'].includes(entry.obs_type);
  const isPath = entry.content === entry.file_path;
  return (
    <>
      {typeof message === 'string' && <p class="whole"><Marked text={message} words={words} query={q} /></p>}
      {isPath ? <p class="path"><code><Marked text={entry.content} words={words} query={q} /></code></p>
        : isCode ? <pre class="out" tabIndex={0} aria-label={kindOf(entry.obs_type)}><Marked text={entry.content} words={words} query={q} /></pre>
          : <p class="whole"><Marked text={entry.content} words={words} query={q} /></p>}
      {typeof changed === 'string' && changed && <Diff text={changed} label="the change" />}
      {typeof response === 'string' && response.trim() && <pre class={`out ${failed(entry) ? 'bad-out' : ''}`} tabIndex={0} aria-label="output"><Marked text={response} words={words} query={q} /></pre>}
    </>
  );
}

const read = new Map<number, { entry: Entry | null; around: Around | null }>();

/** What a command ends or forgets, and nothing deletes for good by its id. */
const KEPT = ['statement', 'hint', 'hypothesis', 'value', 'session_summary'];

function Preview({ row, q, onGone }: { row: Row; q: string; onGone: () => void }) {
  const shown = useSignal(read.get(row.id) ?? null);
  const fault = useSignal<Fault | null>(null);
  useEffect(() => {
    shown.value = read.get(row.id) ?? null;
    fault.value = null;
    if (shown.value) return;
    let current = true;
    const timer = setTimeout(() => {
      const around = row.session_id ? call('timeline', { anchor: row.id, before: AROUND, after: AROUND }) : Promise.resolve(null);
      Promise.all([call('get_observations', { ids: [row.id] }), around]).then(
        ([[entry], near]) => {
          const whole = { entry: entry ?? null, around: near };
          if (read.size > 200) read.clear();
          read.set(row.id, whole);
          if (current) shown.value = whole;
        },
        (error: unknown) => { if (current && error instanceof Fault) fault.value = error; },
      );
    }, REST);
    return () => { current = false; clearTimeout(timer); };
  }, [row.id]);
  const words = matchedWords(row.why).all, entry = shown.value?.entry, around = shown.value?.around;
  const steps = around ? [...around.before, around.anchor, ...around.after] : [];
  return (
    <div class="preview-body" aria-busy={!shown.value && !fault.value}>
      <p class="muted">#{row.id} · {kindOf(row.obs_type)} · {dayAndTime(row.at ?? '')}{entry?.project && <> · {entry.project}</>}</p>
      {fault.value && <Trouble fault={fault.value} />}
      {entry && <Whole entry={entry} words={words} q={q} />}
      {shown.value && !entry && <p class="muted">This entry is gone.</p>}
      {row.followed && <p class="followed">{row.followed}</p>}
      {steps.length > 1 && <><h2 class="small-head">Around it</h2>
        <ol class="around">{steps.map((step) => (
          <li key={step.id} class={step.id === row.id ? 'this' : ''} aria-current={step.id === row.id ? 'true' : undefined}><At at={step.at ?? ''} /><span class="step"><Step entry={step} /></span></li>))}</ol></>}
      <p class="actions">
        {row.session_id && <a class="button" href={link(`/s/${encodeURIComponent(row.session_id)}`)}>Open the session</a>}
        <a class="button quiet-button" href={linkWith('/got', { id: row.id })}>Did agents get it?</a>
        {row.file_path && <button class="quiet-button" onClick={() => go(with_({ file: row.file_path ?? '' }))}>Only this file</button>}
        {entry && !KEPT.includes(row.obs_type) && <DeleteForGood id={row.id} what={entry.content} onDone={onGone} />}
      </p>
    </div>
  );
}

// States without hits.

const EXAMPLES: [string, string][] = [
  ['router timeout', 'both words first, then one of them'], ['"wait a minute"', 'exactly these words'], ['rout*', 'words that begin like this'],
  ['router AND (deadline OR timeout) NOT test', 'operators in capitals'],
];
const Begin = () => (
  <div class="empty"><h2>Search everything your agents did</h2><p class="muted">Commands and their errors, prompts, edits, commits, conclusions, statements and hints.</p>
    <dl class="examples">{EXAMPLES.map(([q, what]) => <div key={q}><dt><a href={with_({ q })}><code>{q}</code></a></dt><dd class="muted">{what}</dd></div>)}</dl></div>
);

/** The query with the place where it cannot be read. */
function Unread({ q, fault }: { q: string; fault: Fault }) {
  const letters = [...q], at = fault.at ?? -1;
  return (
    <div class="fault" role="status"><p>{fault.message}</p>
      {at >= 0 && <p class="unread"><code>{letters.slice(0, at).join('')}<mark>{letters[at] ?? ' '}</mark>{letters.slice(at + 1).join('')}</code></p>}
      {fault.next && <p>{fault.next}</p>}</div>
  );
}

/** Words that nothing has, with the closest ones that something has. */
function Meant({ q, meant }: { q: string; meant: Record<string, string> }) {
  const better = Object.entries(meant).reduce((text, [typed, its]) => {
    const i = text.toLowerCase().indexOf(typed.toLowerCase());
    return i < 0 ? text : text.slice(0, i) + its + text.slice(i + typed.length);
  }, q);
  return better === q ? null : <p class="meant">Did you mean <a href={with_({ q: better })}>{better}</a>?</p>;
}

const Elsewhere = ({ held }: { held: Answer['withheld'] }) => (held
  ? <p class="note muted">{held.at_least ? `More than ${number(held.count)}` : inWords(held.count)} {held.count === 1 ? 'match' : 'matches'} in other projects {held.count === 1 ? 'is' : 'are'} not shown. <a href={with_({ project: '*' })}>Search all projects</a></p>
  : null);

function Nothing({ of, answer }: { of: Question; answer: Answer }) {
  const isNarrowed = of.type || of.since || of.file;
  return (
    <div class="empty"><h2>Nothing{of.project !== '*' && ` in ${of.project}`}{isNarrowed ? ' of this kind' : ''} has “{of.q}”</h2>
      <Meant q={of.q} meant={answer.did_you_mean ?? {}} />
      {isNarrowed && <p><a href={with_({ type: '', since: '', file: '' })}>Search every kind, time and file</a></p>}
      <Elsewhere held={answer.withheld} />
      <p class="muted">Try fewer words, or the beginning of one with a star: <code>conn*</code></p></div>
  );
}

export function Search() {
  const field = useRef<HTMLInputElement>(null);
  const typed = useSignal(query.peek().get('q') ?? '');
  // What is known is there at once: the place on the page can only be found if it is there.
  const answer = useSignal<Answer | null>(found.get(JSON.stringify(asked())) ?? null);
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(!!asked().q && !answer.peek());
  const turn = useSignal(0);
  const chosen = useSignal<number | null>(chosenId() ?? null);
  /** Whether the query in the address stays in the history when another one is typed. */
  const isSettled = useRef(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const of = asked(), name = JSON.stringify(of);

  useSignalEffect(() => {
    const question = asked(), its = JSON.stringify(question), isAgain = turn.value > 0;
    if (signedIn.value !== 'yes') return;
    if (question.q !== typed.peek().trim()) typed.value = question.q;
    chosen.value = chosenId() ?? null;
    fault.value = null;
    answer.value = found.get(its) ?? (question.q ? answer.peek() : null);
    // A step that the user comes back to is as it was left; anything else is searched again.
    if (!question.q || (found.has(its) && history.state && !isAgain)) { isBusy.value = false; return; }
    let current = true;
    isBusy.value = true;
    find(question).then(
      (rows) => { keep(its, rows); countTypes(question, rows); if (current) { answer.value = rows; isBusy.value = false; } },
      (error: unknown) => { if (current && error instanceof Fault) { fault.value = error; isBusy.value = false; } },
    );
    return () => { current = false; };
  });
  useEffect(() => listen((method) => { if (method === 'back' && fault.peek()) turn.value += 1; }), []);
  useEffect(() => { if (!of.q) field.current?.focus({ preventScroll: true }); return () => clearTimeout(pause.current); }, []);

  const ask = (push: boolean) => {
    clearTimeout(pause.current);
    const q = typed.value.trim(), there = with_({ q });
    if (q !== asked().q) { if (push || isSettled.current) go(there); else replace(there); }
    isSettled.current = push;
  };
  const choose = (id: number, by: 'key' | 'click') => {
    // In one column a row opens and closes; in two, the entry follows the focus.
    if (isNarrow.value && by === 'key') return;
    chosen.value = isNarrow.value && chosen.value === id ? null : id;
    history.replaceState({ ...history.state as object | null, hit: chosen.value }, '');
  };
  /** It is in no list any more; what was around it is read again. */
  const gone = (id: number) => {
    const without = (page: Answer) => ({ ...page, results: page.results.filter((r) => r.id !== id) });
    for (const [its, page] of found) found.set(its, without(page));
    read.clear();
    counts.clear();
    if (answer.value) answer.value = without(answer.value);
  };
  const more = async () => {
    const known = answer.value;
    if (!known) return;
    try {
      const next = await find(of, known.results.length), ids = new Set(known.results.map((row) => row.id));
      const all = { ...known, more: next.more, results: [...known.results, ...next.results.filter((row) => !ids.has(row.id))] };
      keep(name, all);
      if (JSON.stringify(asked()) === name) answer.value = all;
    } catch (error) { if (error instanceof Fault) fault.value = error; }
  };

  const rows = (of.q && answer.value?.results) || [], row = rows.find((r) => r.id === chosen.value) ?? (isNarrow.value ? undefined : rows[0]);
  const its = counts.get(countsName(of));
  const types = TYPES.filter(([type], i) => i < ALWAYS || type === of.type || its?.get(type));
  const isCurrent = found.has(name);
  return (
    <div class="page search" aria-busy={isBusy.value}>
      <div class="lead"><h1 class="visually-hidden">Search</h1>
        <form role="search" onSubmit={(e) => { e.preventDefault(); ask(true); }}>
          <input class="big" type="search" ref={field} aria-label="Search memory" value={typed.value} maxLength={2000} autocomplete="off" spellcheck={false} placeholder="words, “a phrase”, prefix*, AND OR NOT"
            onInput={(e) => { typed.value = e.currentTarget.value; clearTimeout(pause.current); pause.current = setTimeout(() => ask(false), PAUSE); }}
            onKeyDown={(e) => { if (e.key === 'ArrowDown') { e.preventDefault(); document.querySelector<HTMLElement>('[data-row]')?.focus(); } }} />
        </form>
        {of.q && <div class="chips" role="group" aria-label="Narrow">
          <button aria-pressed={!of.type} onClick={() => go(with_({ type: '' }))}>Any kind</button>
          {types.map(([type, label]) => <button key={type} aria-pressed={of.type === type} onClick={() => go(with_({ type: of.type === type ? '' : type }))}>{label}{its && <span class="n">{its.get(type) ?? 0}</span>}</button>)}
          <span class="sep" />
          <label class="chip-select field"><span class="visually-hidden">Time</span><select value={of.since} onChange={(e) => go(with_({ since: e.currentTarget.value }))}>{TIMES.map(([since, label]) => <option key={since} value={since}>{label}</option>)}</select></label>
          {of.file && <button aria-pressed="true" onClick={() => go(with_({ file: '' }))}>{base(of.file)} <span aria-hidden="true">×</span><span class="visually-hidden">: search every file</span></button>}
          <span class="push muted" role="status">{isCurrent && !fault.value && (answer.value?.more ? `first ${number(rows.length)} results` : count(rows.length, 'result'))}</span>
        </div>}
      </div>
      {!of.q && <Begin />}
      {of.q && fault.value && (fault.value.reason === 'query' ? <Unread q={of.q} fault={fault.value} /> : <Trouble fault={fault.value} />)}
      {of.q && !fault.value && isCurrent && answer.value && rows.length === 0 && <Nothing of={of} answer={answer.value} />}
      {!fault.value && rows.length > 0 && answer.value &&
        <div class="split">
          <div class="found">
            <Meant q={of.q} meant={answer.value.did_you_mean ?? {}} />
            <ol class="hits">{rows.map((r, i) => {
              const isFirstPartial = answer.value?.relaxed ? i === 0 : r.partial && !rows[i - 1]?.partial;
              return (
                <li key={r.id}>{isFirstPartial && <p class="divider">{answer.value?.relaxed ? 'Nothing has all the words. Only some of the words:' : 'Only some of the words'}</p>}
                  <Hit row={r} q={of.q} isChosen={r.id === row?.id} choose={(by) => choose(r.id, by)} open={() => go(link(`/s/${encodeURIComponent(r.session_id ?? '')}`))} />
                  {isNarrow.value && r.id === row?.id && <section class="preview" aria-label="Entry"><Preview row={r} q={of.q} onGone={() => gone(r.id)} /></section>}
                </li>);
            })}</ol>
            {answer.value.more && rows.length < MOST && <p class="more"><button onClick={() => void more()}>Show more</button></p>}
            <Elsewhere held={answer.value.withheld} />
          </div>
          {!isNarrow.value && row && <aside class="preview" aria-label="Entry"><Preview key={row.id} row={row} q={of.q} onGone={() => gone(row.id)} /></aside>}
        </div>}
    </div>
  );
}
